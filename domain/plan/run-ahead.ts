import { given, omit } from '../model/fields.ts';
import type { Close, Performable, Wait } from '../model/decision.ts';
import type { ObservedCell } from '../model/observation.ts';
import { initialState, type Background, type RolloutState } from '../model/state.ts';
import type { WeightedTargetGroup } from '../model/target-group.ts';
import { isFinished } from '../rollout/measure/analysis.ts';
import { approvedAhead } from '../rollout/record/approval.ts';
import { recordAttempt } from '../rollout/record/attempt.ts';
import { applyPerformed } from '../rollout/record/performed.ts';
import { inRollout } from '../rollout/record/record.ts';
import {
  markChanged,
  withState,
  recordRequest,
  newRun,
  recordLook,
  type Run,
} from '../rollout/record/run.ts';
import { dueReport, takeTurn, recordReport } from '../rollout/turn.ts';
import { stepOf } from '../steps/step.ts';
import { future, type Future } from './future.ts';

/** One thing that a rollout will do, or wait for. */
export interface PlannedEvent {
  /** When, in milliseconds since the epoch. */
  readonly at: number;
  readonly is: 'Shift' | 'Measurement' | 'Wait' | 'End';
  readonly does: string;
  /** The step that it belongs to, as `status.step` has it. */
  readonly step?: string;
  /** The weights that are served from then on, when they change. */
  readonly weights?: readonly WeightedTargetGroup[];
  /** What is taken for granted so that it continues. */
  readonly assumes?: string;
  /** Whether the Cell stands as it will already, and only tidies up. */
  readonly afterwards?: true;
}

/** What a Cell will do from a time on, as far as nothing else happens. */
export interface Ahead {
  readonly events: readonly PlannedEvent[];
  /** The version that serves before, and the one that is rolled out, when there is a rollout. */
  readonly rollout?: { readonly from: string; readonly to: string };
  /** How it ends; undefined when it waits for something that nobody can take for granted. */
  readonly end?: Close;
  readonly stuck?: Wait;
  readonly observed: ObservedCell;
  readonly now: number;
}

/** More turns than the longest list of steps takes. */
const MOST_TURNS = 5_000;

/** Runs a Cell ahead until nothing is left to do, or until it is stuck, in memory. */
export function runAhead(observed: ObservedCell, from: number): Ahead {
  const world = future(observed);
  const events: PlannedEvent[] = [];
  let rollout: Ahead['rollout'];
  let now = from;
  let run = newRun(initialState);
  for (let turns = 0; turns < MOST_TURNS; turns += 1) {
    const turn = takeTurn(run, now);
    if (turn.is === 'Look') {
      run = recordLook(run, world.look(), { upTo: run.changes, now });
      continue;
    }
    ({ run } = turn);
    const due = dueReport(run, turn.decision, { workflow: { workflowId: 'ahead', runId: 'ahead' }, now });
    if (due?.is === 'New') {
      const { status } = due;
      world.change((seen) => (seen.cell === undefined ? seen : { ...seen, cell: { ...seen.cell, status } }));
      run = recordReport(run, run, status);
    }
    const { rollout: current } = run.state;
    if (current !== undefined) rollout = { from: current.stable.version, to: current.canary.version };
    const step = current === undefined ? {} : { step: stepOf(current) };
    if (turn.is === 'Perform') {
      const { decision } = turn;
      run = perform(run, decision, { world, observed: turn.observed, now });
      const event = eventOf(decision);
      if (event !== undefined) events.push({ at: now, ...event, ...step });
      continue;
    }
    const base = { ...given({ rollout }), events, now, observed: world.look() };
    const { decision } = turn;
    if (decision.do === 'Close') {
      if (run.changes !== run.seenChanges || run.state.unreported !== undefined) continue;
      return { ...base, end: decision };
    }
    const passed = pass(run, decision, { world, now });
    if (passed === undefined) return { ...base, stuck: decision };
    // What is looked at now and then while it waits is one wait.
    if (events.at(-1)?.does !== decision.message)
      events.push({ ...waitOf(decision, passed.assumes, now), ...step });
    ({ run, now } = passed);
  }
  throw new TypeError(`Expected a rollout to come to an end within ${MOST_TURNS} turns, got none.`);
}

function perform(
  run: Run,
  decision: Performable,
  { world, observed, now }: { readonly world: Future; readonly observed: ObservedCell; readonly now: number },
): Run {
  const attempt = world.attempt(decision, observed, run.state);
  const next = applyPerformed(run, recordAttempt(decision, attempt, observed), { upTo: run.changes, now });
  return withState(next, lookedAtForGood);
}

/** Has what is looked at now and then while something is waited for looked at once: it does not change, and a wait may last a year. */
function lookedAtForGood({ idle, ...state }: RolloutState): RolloutState {
  const known = idle === undefined ? state : { ...state, idle: { ...idle, at: Infinity } };
  return inRollout(known, ({ background, ...rollout }) =>
    background === undefined ? rollout : { ...rollout, background: measuringWell(background) },
  );
}

/** What has not come to a verdict measures, and does not fail. */
function measuringWell({ verdict, ...background }: Background): Background {
  const { name, phase } = verdict;
  const isOpen = !isFinished(phase);
  return {
    ...background,
    readAt: Infinity,
    verdict: isOpen ? { name, phase: 'Running', message: '' } : verdict,
  };
}

/** What is worth telling of what was done. */
function eventOf(decision: Performable): Omit<PlannedEvent, 'at' | 'step'> | undefined {
  switch (decision.do) {
    case 'Shift': {
      const afterwards = decision.settled === undefined ? {} : { afterwards: true as const };
      return { is: 'Shift', does: decision.message, weights: decision.shares, ...afterwards };
    }
    case 'StartMeasurement':
      return {
        is: 'Measurement',
        does: decision.message,
        assumes:
          decision.background === undefined
            ? 'what is measured for a step is successful, and takes no time'
            : 'what is measured in the background does not fail',
      };
    case 'Finish':
    case 'Conclude':
    case 'End':
      return { is: 'End', does: decision.message };
    default:
      return undefined;
  }
}

const waitOf = ({ message, settled }: Wait, assumes: string | undefined, at: number): PlannedEvent => ({
  at,
  is: 'Wait',
  does: message,
  ...given({ assumes }),
  ...(settled === undefined ? {} : { afterwards: true }),
});

/** Lets what is waited for happen; undefined when nobody can take it for granted. */
function pass(
  run: Run,
  { for: what, until }: Wait,
  { world, now }: { readonly world: Future; readonly now: number },
): { readonly run: Run; readonly now: number; readonly assumes?: string } | undefined {
  const stamp = { by: 'okractl plan', reason: '', at: now };
  // For a person is waited without an end; a time means only that the analysis in the background is read meanwhile.
  if (what === 'Resume')
    return { run: recordRequest(run, 'resume', stamp), now, assumes: 'resume is sent at once' };
  if (what === 'Approval')
    return {
      run: withState(run, (state) => approvedAhead(state, stamp)),
      now,
      assumes: 'those who have to approve do so at once',
    };
  if (what === 'Verdict')
    return { run: recordRequest(run, 'promote', stamp), now, assumes: 'promote is sent at once' };
  if (until !== undefined) return { run, now: Math.max(now + 1, until) };
  const passing = passings[what];
  if (passing === undefined) return undefined;
  world.change(passing.change);
  return { run: markChanged(run, now), now, assumes: passing.assumes };
}

interface Passing {
  readonly assumes: string;
  readonly change: (seen: ObservedCell) => ObservedCell;
}

/** What is taken for granted of what holds for good, by what is waited for. */
const passings: Readonly<Partial<Record<Wait['for'], Passing>>> = {
  Freeze: { assumes: 'the Freeze is lifted at once', change: (seen) => ({ ...seen, freezes: [] }) },
  Application: {
    assumes: 'the applications before it are in place at once',
    change: (seen) => omit(seen, 'behind'),
  },
  Clusters: { assumes: 'the clusters are ready at once', change: (seen) => omit(seen, 'waitsFor') },
};
