import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import type { Activities } from '../../activities/contract.ts';
import { toFailure } from '../../activities/failure.ts';
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
import { carryOut } from '../../workflows/carry-out.ts';
import type { Hands } from '../../workflows/hands.ts';
import { asActivity } from './activities.ts';
import { BY_OKRA } from './kept-rollout.ts';

/** What a pass is made with. */
export interface PassMeans {
  readonly key: ObjectKey;
  readonly activities: Activities;
  readonly runId: string;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Told before something is done that others see; it may refuse. */
  readonly before: (decision: Performable, run: Run) => Promise<void>;
  /** Whether what others see is only decided, and not done. */
  readonly isDry: boolean;
}

/** What a pass has come to. */
export interface Passed {
  readonly run: Run;
  /** What is waited for, how it closes, or what the next pass does. */
  readonly next: Decision;
  /** What was done that others see. */
  readonly done: readonly Performable[];
  readonly refusal?: Refusal;
}

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
export async function pass(begun: Run, means: PassMeans): Promise<Passed> {
  const done: Performable[] = [];
  let refusal: Refusal | undefined;
  let run = begun.state.rollout === undefined ? begun : withState(begun, markVerdictDue);
  const passed = (next: Decision): Passed => ({
    run,
    next,
    done,
    ...(refusal === undefined ? {} : { refusal }),
  });
  for (let turns = 0; turns < MOST_TURNS; turns += 1) {
    const turn = takeTurn(run, means.now());
    if (turn.is === 'Look') {
      ({ run, refusal = refusal } = await look(run, means));
      continue;
    }
    ({ decided: run, refusal = refusal } = await report(turn.run, turn.decision, means));
    if (turn.is === 'Rest') {
      if (turn.decision.do === 'Close' && !isReported(run)) continue;
      return passed(turn.decision);
    }
    const { decision, observed } = turn;
    if (isSeen(decision)) {
      if (done.length > 0 || means.isDry || means.signal.aborted) return passed(decision);
      await means.before(decision, run);
    }
    const upTo = run.changes;
    const attempt = await tryTo(decision, { observed, run: () => run }, means);
    run = applyPerformed(run, recordAttempt(decision, attempt, observed), { upTo, now: means.now() });
    if (attempt.is === 'Refused') ({ refusal } = attempt);
    else if (isSeen(decision) && attempt.is === 'CarriedOut' && attempt.done.isDone) done.push(decision);
  }
  throw new TypeError(`the pass did not end within ${MOST_TURNS} turns`);
}

async function look(
  run: Run,
  { key, activities, signal, now }: PassMeans,
): Promise<{ readonly run: Run; readonly refusal?: Refusal }> {
  const upTo = run.changes;
  try {
    const seen = await asActivity(signal, () => activities.observeCell(key));
    return { run: recordLook(run, seen, { upTo, now: now() }) };
  } catch (error) {
    const refusal = refusalOf(error);
    return { run: recordFailedLook(run, refusal, now()), refusal };
  }
}

async function report(
  run: Run,
  decision: Decision,
  { activities, runId, signal, now }: PassMeans,
): Promise<{ readonly decided: Run; readonly refusal?: Refusal }> {
  const due = dueReport(run, decision, { workflow: { workflowId: BY_OKRA, runId }, now: now() });
  if (due === undefined || due.is === 'Later') return { decided: run };
  const { cell, status, events } = due;
  try {
    if (due.is === 'New') await asActivity(signal, () => activities.reportCell({ ...cell, status, events }));
    return { decided: recordReport(run, run, status) };
  } catch (error) {
    const refusal = refusalOf(error);
    return { decided: withState(run, (state) => recordReportFailure(state, refusal, now())), refusal };
  }
}

async function tryTo(
  decision: Performable,
  situation: Parameters<typeof carryOut>[1],
  { activities, signal }: PassMeans,
): Promise<Attempt> {
  try {
    const hands = handsOf(activities);
    const done = await asActivity(signal, () => carryOut(decision, situation, hands));
    return { is: 'CarriedOut', done };
  } catch (error) {
    return signal.aborted ? { is: 'Interrupted' } : { is: 'Refused', refusal: refusalOf(error) };
  }
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

/** Reads why something was refused. */
export function refusalOf(error: unknown): Refusal {
  const failure = toFailure(error);
  const reason = (failure instanceof ApplicationFailure ? failure.type : undefined) ?? 'Unavailable';
  return { reason, message: failure.message, permanent: isPermanent(reason) };
}
