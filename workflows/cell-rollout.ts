import { condition, continueAsNew, setCurrentDetails, setHandler, workflowInfo } from '@temporalio/workflow';
import { decide } from '../domain/decide.ts';
import type { Outcome } from '../domain/decision.ts';
import { goesForward } from '../domain/gate.ts';
import { cellRolloutId, type ObjectKey } from '../domain/ids.ts';
import { withKnown } from '../domain/known.ts';
import type { ObservedCell } from '../domain/observation.ts';
import * as record from '../domain/record.ts';
import { isBackgroundDue, verdictExpected } from '../domain/record-measurement.ts';
import { ask } from '../domain/requests.ts';
import { initialState, type RolloutState } from '../domain/state.ts';
import { planOf, viewOf } from '../domain/view.ts';
import { objects } from './activities.ts';
import { handleRequests } from './handle-requests.ts';
import {
  analysisFinished,
  changed,
  experimentFinished,
  planQuery,
  stateQuery,
  statusReported,
} from './messages.ts';
import { perform, type Situation } from './perform.ts';
import { report } from './report-cell.ts';

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

/** How many events a run may have before another takes over, so that people can read it. */
const LONGEST_HISTORY = 1_500;

/** How old a look at the objects may be when something is done that goes forward, in milliseconds. */
const FRESH_MS = 10_000;

/** Rolls out a Cell: look, decide, perform, until there is nothing left to do. */
export async function cellRollout(input: CellRolloutInput): Promise<CellRolloutResult> {
  const { key } = input;
  let state = input.state ?? initialState;
  let observed: ObservedCell | undefined;
  let observedAt = 0;
  let stale = true;
  let wakes = 0;

  const wake = (next: RolloutState): void => {
    state = next;
    wakes += 1;
  };
  const lookAgain = (): void => {
    stale = true;
    wake(record.hurried(state, Date.now()));
  };
  setHandler(changed, lookAgain, { description: 'Looks at the Cell and its target groups again.' });
  setHandler(statusReported, lookAgain, { description: 'Looks at the load balancer configuration again.' });
  const readVerdict = (): void => wake(verdictExpected(state));
  setHandler(analysisFinished, readVerdict, { description: 'Reads the AnalysisRuns that are waited for.' });
  setHandler(experimentFinished, readVerdict, { description: 'Reads the Experiment of the current step.' });
  handleRequests({
    state: () => state,
    take: (name, stamp) =>
      wake(ask(name === 'retry' ? record.hurried(state, Date.now()) : state, name, stamp)),
  });
  setHandler(stateQuery, () => viewOf(state), { description: 'Where the rollout stands.' });
  setHandler(planQuery, () => planOf(state), { description: 'The steps of the rollout.' });

  const situationOf = (seen: ObservedCell): Situation => ({
    observed: seen,
    state: () => state,
    interrupted: () => stale || state.requests.abort !== undefined || isBackgroundDue(state),
  });

  for (;;) {
    const seen = wakes;
    if (stale || observed === undefined) {
      stale = false;
      observed = withKnown(await objects('Look at the Cell').observeCell(key), state);
      observedAt = Date.now();
    }
    const decision = decide(observed, state, Date.now());
    // A word of a Freeze, or of anything else, may have been lost while this waited.
    stale = goesForward(decision) && Date.now() - observedAt > FRESH_MS;
    if (stale) continue;
    state = record.announced(record.timed(state, decision, Date.now()), decision, observed);
    // A version that is blocked from here on is part of what watchers compare; it has to be seen before the run closes.
    const blocks = state.justBlocked !== undefined;
    // What takes traffic back waits for nothing, not even for being told.
    const takingBack =
      decision.do === 'Shift' && decision.urgent ? perform(decision, situationOf(observed)) : undefined;
    const written = await report(observed, state, decision);
    state = written(state);
    stale ||= blocks && state.justBlocked === undefined;
    if (decision.do === 'Close') {
      if (wakes !== seen || stale) continue;
      return { outcome: decision.outcome, message: decision.message };
    }
    if (decision.do === 'Wait') {
      await waitFor(() => wakes !== seen, decision.until, decision.message);
    } else {
      const outcome = await (takingBack ?? perform(decision, situationOf(observed)));
      state = outcome.apply(state);
      stale ||= outcome.stale;
    }
    if (workflowInfo().continueAsNewSuggested || workflowInfo().historyLength > LONGEST_HISTORY) {
      setCurrentDetails(`Going on in a new run of ${cellRolloutId(key)}.`);
      await continueAsNew<typeof cellRollout>({ key, state });
    }
  }
}

async function waitFor(happened: () => boolean, until: number | undefined, summary: string): Promise<void> {
  if (until === undefined) await condition(happened);
  else await condition(happened, Math.max(1, until - Date.now()), { summary });
}
