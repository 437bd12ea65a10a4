import { setHandler } from '@temporalio/workflow';
import { unknownSignalEvent } from '../domain/rollout/report/events.ts';
import { markVerdictDue } from '../domain/rollout/record/measurement.ts';
import { addEvent } from '../domain/rollout/record/record.ts';
import * as run from '../domain/rollout/record/run.ts';
import type { ObjectKey } from '../domain/model/ids.ts';
import { answerTo, CANCELLED } from '../domain/model/requests.ts';
import { planOf, viewOf } from '../domain/model/view.ts';
import { handleApprovals } from './handle-approvals.ts';
import { requestKinds } from '../domain/model/request-kinds.ts';
import { notAsSeen, seenIn } from '../domain/model/seen.ts';
import { requestNames, type RequestName, type Stamp } from '../domain/model/request.ts';
import { decode, listenTo, stampOf } from './listen-to-request.ts';
import {
  analysisFinished,
  changed,
  drifted,
  experimentFinished,
  planQuery,
  stateQuery,
  targetsChanged,
  unknownSignals,
} from './messages.ts';

/** What a run knows by now; words from outside change it while the workflow waits. */
export type LiveRun = ReturnType<typeof listen>;

/** Listens to all that a run is told, and answers what it is asked. */
export function listen(key: ObjectKey, begun: run.Run, cancellation: Cancellation) {
  let known = begun;
  let heard = 0;
  let told = 0;
  let isCancelled = cancellation.isDue;

  type Change = (known: run.Run) => run.Run;
  const change = (next: Change): void => void (known = next(known));
  const wake = (next: Change): void => {
    change(next);
    heard += 1;
  };
  setHandler(changed, () => wake((now) => run.markChanged(now, Date.now())), {
    description: 'Looks at the Cell and its target groups again.',
  });
  setHandler(drifted, () => wake((now) => run.markDrifted(now, Date.now())), {
    description: 'Reads the load balancer, since it does not serve what it should.',
  });
  setHandler(targetsChanged, () => wake((now) => run.markTargetsChanged(now, Date.now())), {
    description: 'Checks the health of the targets in the rule.',
  });
  const readVerdict = (): void => wake((now) => run.withState(now, markVerdictDue));
  setHandler(analysisFinished, readVerdict, { description: 'Reads the AnalysisRuns that are waited for.' });
  setHandler(experimentFinished, readVerdict, { description: 'Reads the Experiment of the current step.' });
  handleRequests({
    run: () => known,
    take: (name, stamp) => wake((now) => run.recordRequest(now, name, stamp)),
  });
  handleApprovals({
    key,
    state: () => known.state,
    take: (next) => wake((now) => run.withState(now, next)),
  });
  setHandler(stateQuery, () => viewOf(known.state), { description: 'Where the rollout stands.' });
  setHandler(planQuery, () => planOf(known.state), { description: 'The steps of the rollout.' });

  /** A cancellation is an abort of the rollout that is under way; what comes of it is waited for as after any other. */
  const abortWhenCancelled = (): void => {
    if (!isCancelled || known.state.rollout === undefined) return;
    isCancelled = false;
    wake((now) => run.recordRequest(now, 'abort', { ...CANCELLED, at: Date.now() }));
  };
  cancellation.requested.catch(() => {
    isCancelled = true;
    heard += 1;
    abortWhenCancelled();
  });
  /** Takes up what has come and waited for its time: a cancellation, and signals that nobody listens to. */
  const takeUp = (): void => {
    abortWhenCancelled();
    const names = unknownSignals().slice(told);
    told += names.length;
    for (const name of names)
      change((now) => run.withState(now, (state) => addEvent(state, unknownSignalEvent(name))));
  };
  return {
    run: (): run.Run => known,
    change,
    heard: (): number => heard,
    hasUnknown: (): boolean => told < unknownSignals().length,
    takeUp,
    isCancelled: (): boolean => isCancelled,
  };
}

/** A cancellation of a workflow in Temporal, which is an abort of what is under way, and otherwise ends the run. */
export interface Cancellation {
  /** Rejects when this run is cancelled. */
  readonly requested: Promise<never>;
  /** Whether a run before this one was, and has not come to the end that this asks for. */
  readonly isDue: boolean;
}

/** Listens to what operators ask of a rollout, by signal and by update. */
export function handleRequests(asked: {
  readonly run: () => run.Run;
  readonly take: (name: RequestName, stamp: Stamp) => void;
}): void {
  for (const name of requestNames) {
    listenTo(name, {
      description: requestKinds[name].description,
      refusal: (sent) =>
        run.refusalOf(asked.run(), name) ?? notAsSeen(asked.run().state, name, seenIn(decode(sent))),
      answer: () => answerTo(name, asked.run().state),
      take: (sent) => asked.take(name, stampOf(sent)),
    });
  }
}
