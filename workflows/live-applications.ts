import { setHandler } from '@temporalio/workflow';
import { askApplications, isAnyInWork } from '../domain/applications/requests.ts';
import type { ApplicationsState } from '../domain/applications/state.ts';
import { applicationsPlan, applicationsView } from '../domain/applications/view.ts';
import { CANCELLED } from '../domain/model/requests.ts';
import type { Cancellation } from './live-run.ts';
import { handleApplicationsRequests } from './handle-applications-requests.ts';
import { analysisFinished, changed, drifted, experimentFinished, planQuery, stateQuery } from './messages.ts';

/** What a run for a Cell with applications knows by now; words from outside change it while the workflow waits. */
export interface LiveApplications {
  readonly state: () => ApplicationsState;
  readonly change: (change: (state: ApplicationsState) => ApplicationsState) => void;
  /** How many words have come. */
  readonly heard: () => number;
  /** How many of them were asked by someone. */
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
