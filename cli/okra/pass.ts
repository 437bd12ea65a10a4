import { randomUUID } from 'node:crypto';
import type { Activities } from '../../activities/contract.ts';
import { reasonOf, toFailure } from '../../activities/failure.ts';
import { isPermanent } from '../../domain/failures.ts';
import type { Decision, Performable } from '../../domain/model/decision.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import { recordAttempt, type Attempt, type Refusal } from '../../domain/rollout/record/attempt.ts';
import { isRecorded, applyPerformed } from '../../domain/rollout/record/performed.ts';
import { markVerdictDue } from '../../domain/rollout/record/measurement.ts';
import { recordReportFailure } from '../../domain/rollout/record/backoff.ts';
import {
  recordFailedLook,
  isReported,
  withState,
  recordLook,
  type Run,
} from '../../domain/rollout/record/run.ts';
import { dueReport, takeTurn, recordReport } from '../../domain/rollout/turn.ts';
import { carryOut, type Hands } from '../../workflows/carry-out.ts';
import { BY_OKRA } from './kept-rollout.ts';
import { asActivity } from './session.ts';

interface PassMeans {
  readonly key: ObjectKey;
  readonly activities: Activities;
  readonly runId: string;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Told before something is done that others see; it may refuse. */
  readonly before: (run: Run) => Promise<void>;
  /** Whether what others see is only decided, and not done. */
  readonly isDry: boolean;
}

/** What a pass has come to: what was done that others see, and what is waited for, how it closes, or what the next pass does. */
export type Passed = Awaited<ReturnType<typeof pass>>;

/** More turns than one pass takes: each of them changes what is remembered, and one is seen by others. */
const MOST_TURNS = 500;

// What only reads, or remembers what was decided.
const quiet: ReadonlySet<Performable['do']> = new Set([
  'Begin',
  'Inspect',
  'CheckHealth',
  'ReadLostRun',
  'ReadMeasurement',
]);

/** Whether others see that a decision is carried out, by weights or by objects. */
const isSeen = (decision: Performable): boolean => !isRecorded(decision) && !quiet.has(decision.do);

/** Looks, decides, reports and does one thing that others see, as the workflow of a Cell does it turn by turn. */
export async function pass(begun: Run, means: PassMeans) {
  const { key, activities, runId, signal, now } = means;
  const done: Performable[] = [];
  let refusal: Refusal | undefined;
  const refuse = (error: unknown): Refusal => (refusal = refusalOf(error));
  const passed = (next: Decision) => ({ run, next, done, refusal });
  const hands = handsOf(activities);
  const report = async (decided: Run, decision: Decision): Promise<Run> => {
    const due = dueReport(decided, decision, { workflow: { workflowId: BY_OKRA, runId }, now: now() });
    if (due === undefined || due.is === 'Later') return decided;
    const { cell, status, events } = due;
    try {
      if (due.is === 'New')
        await asActivity(signal, () => activities.reportCell({ ...cell, status, events }));
      return recordReport(decided, decided, status);
    } catch (error) {
      const reason = refuse(error);
      return withState(decided, (state) => recordReportFailure(state, reason, now()));
    }
  };
  let run = begun.state.rollout === undefined ? begun : withState(begun, markVerdictDue);
  for (let turns = 0; turns < MOST_TURNS; turns += 1) {
    const turn = takeTurn(run, now());
    const upTo = run.changes;
    if (turn.is === 'Look') {
      try {
        const seen = await asActivity(signal, () => activities.observeCell(key));
        run = recordLook(run, seen, { upTo, now: now() });
      } catch (error) {
        run = recordFailedLook(run, refuse(error), now());
      }
      continue;
    }
    run = await report(turn.run, turn.decision);
    if (turn.is === 'Rest') {
      if (turn.decision.do === 'Close' && !isReported(run)) continue;
      return passed(turn.decision);
    }
    const { decision, observed } = turn;
    if (isSeen(decision)) {
      if (done.length > 0 || means.isDry || signal.aborted) return passed(decision);
      await means.before(run);
    }
    const situation = { observed, run: () => run };
    const attempt: Attempt = await asActivity(signal, async () => carryOut(decision, situation, hands)).then(
      (result) => ({ is: 'CarriedOut', done: result }),
      (error: unknown) =>
        signal.aborted ? { is: 'Interrupted' } : { is: 'Refused', refusal: refuse(error) },
    );
    run = applyPerformed(run, recordAttempt(decision, attempt, observed), { upTo: run.changes, now: now() });
    if (isSeen(decision) && attempt.is === 'CarriedOut' && attempt.done.isDone) done.push(decision);
  }
  throw new TypeError(`the pass did not end within ${MOST_TURNS} turns`);
}

/** The functions of the activities, called by this process; how a workflow has ended is asked nobody. */
function handsOf(activities: Activities): Hands {
  const objects = { ...activities, readLostRun: () => Promise.resolve({ is: 'Unknown' as const }) };
  return {
    objects: () => objects,
    measurements: () => activities,
    elbv2Reads: () => activities,
    traffic: () => activities,
    configs: () => activities,
    newId: randomUUID,
  };
}

export function refusalOf(error: unknown): Refusal {
  const failure = toFailure(error);
  const reason = reasonOf(failure);
  return { reason, message: failure.message, permanent: isPermanent(reason) };
}
