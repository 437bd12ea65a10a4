import { setHandler } from '@temporalio/workflow';
import {
  askApplications,
  isAnyInWork,
  applicationsAnswer,
  applicationsRefusal,
} from '../domain/applications/requests.ts';
import type { ApplicationsState } from '../domain/applications/state.ts';
import { applicationsPlan, applicationsView } from '../domain/applications/status.ts';
import { CANCELLED } from '../domain/model/requests.ts';
import type { Cancellation } from './live-run.ts';
import { analysisFinished, changed, drifted, experimentFinished, planQuery, stateQuery } from './messages.ts';
import { requestKinds } from '../domain/model/request-kinds.ts';
import { requestNames, type RequestName, type TakenRequest } from '../domain/model/request.ts';
import { refuseApprovals } from './handle-approvals.ts';
import { listenTo, stampOf } from './listen-to-request.ts';

/** What a run for a Cell with applications knows by now; words from outside change it while the workflow waits. */
export type LiveApplications = ReturnType<typeof listenForApplications>;

/** Listens to all that a run is told, and answers what it is asked. */
export function listenForApplications(begun: ApplicationsState, cancellation: Cancellation) {
  let known = begun;
  let heard = 0;
  let asked = 0;
  let isCancelled = false;
  const wake = (): void => void (heard += 1);
  const wakeAtOnce = (): void => {
    asked += 1;
    wake();
  };
  const look = { description: 'Looks at the Cell and all that it depends on again.' };
  for (const told of [changed, drifted, analysisFinished, experimentFinished]) setHandler(told, wake, look);
  const take = (request: TakenRequest<RequestName>): void => {
    known = askApplications(known, request);
    wakeAtOnce();
  };
  for (const name of requestNames) {
    listenTo(name, {
      description: requestKinds[name].description,
      refusal: () => applicationsRefusal(known, name),
      answer: () => applicationsAnswer(name, known),
      take: (sent) => take({ action: name, ...stampOf(sent) }),
    });
  }
  refuseApprovals(
    'Cell has applications: their traffic moves without approval steps. Approve a Cell with a rollout of its own.',
  );
  setHandler(stateQuery, () => applicationsView(known), { description: 'Where the applications stand.' });
  setHandler(planQuery, () => applicationsPlan(known), { description: 'In which order they go.' });
  const cancel = (): void => {
    if (isAnyInWork(known)) take({ action: 'abort', ...CANCELLED, at: Date.now() });
    else isCancelled = true;
    wakeAtOnce();
  };
  cancellation.requested.catch(cancel);
  if (cancellation.isDue) cancel();
  return {
    state: (): ApplicationsState => known,
    change: (next: (state: ApplicationsState) => ApplicationsState): void => void (known = next(known)),
    heard: (): number => heard,
    /** How many of them were asked by someone. */
    asked: (): number => asked,
    /** Whether the workflow was cancelled in Temporal while there was nothing to abort. */
    isCancelled: (): boolean => isCancelled,
  };
}
