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
export interface LiveApplications {
  readonly state: () => ApplicationsState;
  readonly change: (change: (state: ApplicationsState) => ApplicationsState) => void;
  readonly heard: () => number;
  readonly asked: () => number;
  /** Whether the workflow was cancelled in Temporal while there was nothing to abort. */
  readonly isCancelled: () => boolean;
}

/** Listens to all that a run is told, and answers what it is asked. */
export function listenForApplications(
  begun: ApplicationsState,
  cancellation: Cancellation,
): LiveApplications {
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
  setHandler(changed, wake, look);
  setHandler(drifted, wake, look);
  setHandler(analysisFinished, wake, look);
  setHandler(experimentFinished, wake, look);
  const take = (request: Parameters<typeof askApplications>[1]): void => {
    known = askApplications(known, request);
    wakeAtOnce();
  };
  handleApplicationsRequests({ state: () => known, take });
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
    state: () => known,
    change: (next) => (known = next(known)),
    heard: () => heard,
    asked: () => asked,
    isCancelled: () => isCancelled,
  };
}

interface AskedApplications {
  readonly state: () => ApplicationsState;
  readonly take: (request: TakenRequest<RequestName>) => void;
}

function handleApplicationsRequests(asked: AskedApplications): void {
  for (const name of requestNames) {
    listenTo(name, {
      description: requestKinds[name].description,
      refusal: () => applicationsRefusal(asked.state(), name),
      answer: () => applicationsAnswer(name, asked.state()),
      take: (sent) => asked.take({ action: name, ...stampOf(sent) }),
    });
  }
  refuseApprovals(
    'Expected a Cell with a rollout of its own, got one with applications, whose traffic moves without approval steps.',
  );
}
