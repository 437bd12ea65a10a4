import {
  CancellationScope,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Decision, Outcome } from '../domain/model/decision.ts';
import { unknownSignalEvent } from '../domain/rollout/events.ts';
import type { ObjectKey } from '../domain/model/ids.ts';
import { withKnown, withReported } from '../domain/model/known.ts';
import type { ObservedCell } from '../domain/model/observation.ts';
import * as hold from '../domain/rollout/record-backoff.ts';
import * as record from '../domain/rollout/record.ts';
import { verdictExpected } from '../domain/rollout/record-measurement.ts';
import { abortIsDue, ask, CANCELLED } from '../domain/model/requests.ts';
import { initialState, type RolloutState } from '../domain/model/state.ts';
import { takeTurn } from '../domain/rollout/turn.ts';
import { planOf, viewOf } from '../domain/model/view.ts';
import { objects } from './activities.ts';
import { failureOf } from './failure.ts';
import { handleRequests } from './handle-requests.ts';
import { hasLongHistory } from './long-history.ts';
import { interruptible } from './interruptible.ts';
import { analysisFinished, changed, drifted, experimentFinished, planQuery, stateQuery } from './messages.ts';
import { perform } from './perform.ts';
import type { Performed } from './performed.ts';
import { report } from './report-cell.ts';
import { inShort } from './summary.ts';
import { unknownSignals } from './unknown-signals.ts';

/** Which Cell to roll out, and what an earlier run has handed over. */
export interface CellRolloutInput {
  readonly key: ObjectKey;
  readonly state?: RolloutState;
}

/** How a run closed. */
export interface CellRolloutResult {
  readonly outcome: Outcome;
  readonly message: string;
}

/** Rolls out a Cell: look, decide, perform, until there is nothing left to do. A cancellation by Temporal is an abort. */
export async function cellRollout(input: CellRolloutInput): Promise<CellRolloutResult> {
  const { cancelRequested } = CancellationScope.current();
  return CancellationScope.nonCancellable(() => rollOut(input, cancelRequested));
}

async function rollOut({ key, state: before }: CellRolloutInput, cancelRequested: Promise<never>) {
  let state = before ?? initialState;
  let observed: ObservedCell | undefined;
  let observedAt = 0;
  /** How many words of changes have come, and how many of them the last look has taken into account. */
  let changes = 1;
  let seenChanges = 0;
  let wakes = 0;
  let told = 0;
  let isCancelled = false;

  const wake = (next: RolloutState): void => {
    state = next;
    wakes += 1;
  };
  const lookAgain = (next: RolloutState): void => {
    changes += 1;
    wake(next);
  };
  const onChange = (): void => lookAgain(hold.hurried(state, Date.now()));
  setHandler(changed, onChange, { description: 'Looks at the Cell and its target groups again.' });
  const onDrift = (): void => lookAgain(hold.suspected(state, Date.now()));
  setHandler(drifted, onDrift, {
    description: 'Reads the load balancer, since it does not serve what it should.',
  });
  const readVerdict = (): void => wake(verdictExpected(state));
  setHandler(analysisFinished, readVerdict, { description: 'Reads the AnalysisRuns that are waited for.' });
  setHandler(experimentFinished, readVerdict, { description: 'Reads the Experiment of the current step.' });
  handleRequests({
    state: () => state,
    take: (name, stamp) => {
      if (name === 'retry') lookAgain(ask(hold.hurried(state, Date.now()), name, stamp));
      else wake(ask(state, name, stamp));
    },
  });
  setHandler(stateQuery, () => viewOf(state), { description: 'Where the rollout stands.' });
  setHandler(planQuery, () => planOf(state), { description: 'The steps of the rollout.' });
  /** A cancellation is an abort of the rollout that is under way; what comes of it is waited for as after any other. */
  const abortWhenCancelled = (): void => {
    if (!isCancelled || state.rollout === undefined) return;
    isCancelled = false;
    wake(ask(state, 'abort', { ...CANCELLED, at: Date.now() }));
  };
  cancelRequested.catch(() => {
    isCancelled = true;
    wakes += 1;
    abortWhenCancelled();
  });

  const isStale = (): boolean => changes !== seenChanges;
  const see = (next: ObservedCell, upTo: number): void => {
    observed = withKnown(next, state);
    observedAt = Date.now();
    seenChanges = upTo;
    state = hold.sighted(state, next);
  };
  const look = async (): Promise<void> => {
    const upTo = changes;
    const happened = (): boolean => observed !== undefined && abortIsDue(state);
    try {
      const answer = await interruptible(() => objects('Look at the Cell').observeCell(key), { happened });
      if (answer.is === 'Answered') see(answer.value, upTo);
    } catch (error) {
      state = hold.unseen(state, failureOf(error), Date.now());
    }
  };
  /** Whether the status says all that is known, so that nothing is lost with this run. */
  const isTold = (): boolean => !isStale() && state.unreported === undefined;
  /** Whether there is nothing that a cancellation could abort. */
  const isIdle = (): boolean =>
    isTold() && observed !== undefined && observed.cell?.status.rollout === undefined;
  const takeUp = ({ apply, sight }: Performed, upTo: number): void => {
    state = apply(state);
    if (sight === 'Stale') changes += 1;
    else if (sight !== 'Same') see(sight.observed, upTo);
  };

  for (;;) {
    const seen = wakes;
    abortWhenCancelled();
    for (; told < unknownSignals().length; told += 1)
      state = record.noted(state, unknownSignalEvent(unknownSignals()[told] ?? ''));
    const turn = takeTurn({ observed, observedAt, isStale: isStale() }, state, Date.now());
    if (turn.is === 'Look') {
      await look();
      continue;
    }
    const { decision } = turn;
    ({ state } = turn);
    const upTo = changes;
    const situation = { observed: observed ?? { ...NOTHING, key }, state: () => state, isStale };
    // What takes traffic back waits for nothing, not even for being told.
    let isBack = false;
    const takingBack = isUrgent(decision)
      ? perform(decision, situation).finally(() => (isBack = true))
      : undefined;
    const isInterrupted = (): boolean => isBack || (takingBack === undefined && abortIsDue(state));
    // A version that is blocked from here on is part of what watchers compare; it has to be seen before the run closes.
    const blocks = state.justBlocked;
    const { reported, unreported } = state;
    state = (await report({ observed, state, decision, isInterrupted }))(state);
    const keepTold = (): void => {
      if (state.reported !== reported) observed = withReported(observed, state.reported);
    };
    keepTold();
    if (blocks !== undefined && state.justBlocked === undefined) changes += 1;
    if (decision.do === 'Close') {
      if (wakes !== seen || !isTold()) continue;
      return { outcome: decision.outcome, message: decision.message };
    }
    if (decision.do === 'Wait') {
      // What was refused just now is tried again after a while, which nothing else may end.
      if (state.unreported !== unreported) continue;
      if (isCancelled && isIdle()) return { outcome: 'Waiting', message: CANCELLED.message } as const;
      await waitFor(() => wakes !== seen || told < unknownSignals().length, decision.until, decision.message);
    } else {
      takeUp(await (takingBack ?? perform(decision, situation)), upTo);
      // What was seen while the status was written may be older than that.
      if (takingBack !== undefined) keepTold();
    }
    if (hasLongHistory()) {
      setCurrentDetails(`Going on in a new run of ${workflowInfo().workflowId}.`);
      await continueAsNew<typeof cellRollout>({ key, state });
    }
  }
}

const NOTHING = {
  digest: '',
  selected: [],
  freezes: [],
  weighted: [],
  sequence: 0,
  isApplied: true,
} as const;

const isUrgent = (decision: Decision): decision is Extract<Decision, { do: 'Shift' }> =>
  decision.do === 'Shift' && decision.urgent;

async function waitFor(happened: () => boolean, until: number | undefined, summary: string): Promise<void> {
  if (until === undefined) await condition(happened);
  else await condition(happened, Math.max(1, until - Date.now()), { summary: inShort(summary) });
}
