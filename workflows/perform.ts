import { ApplicationFailure, uuid4 } from '@temporalio/workflow';
import type { PresentCell } from '../domain/versions/candidate.ts';
import { deadlineOf } from '../domain/gates/deadline.ts';
import type { Decision } from '../domain/model/decision.ts';
import { eventOf, refusalEvent } from '../domain/rollout/events.ts';
import * as hold from '../domain/rollout/record-backoff.ts';
import { lostRunRead } from '../domain/rollout/record-lost.ts';
import * as record from '../domain/rollout/record.ts';
import * as measured from '../domain/rollout/record-measurement.ts';
import { abortIsDue } from '../domain/model/requests.ts';
import { configs, elbv2Reads, measurements, objects } from './activities.ts';
import { failureOf, type Failure } from './failure.ts';
import { interruptible, type Interruption } from './interruptible.ts';
import { measure, startedPerhaps } from './measure.ts';
import { kept, looking, postponed, type CarriedOut, type Performed, type Situation } from './performed.ts';
import { inspect, nextSequence, shift } from './shift.ts';

/** What is done about a decision that neither waits nor closes. */
export type Performable = Exclude<Decision, { do: 'Wait' } | { do: 'Close' }>;

/** How long a refusal holds at the most before another attempt, in milliseconds: short while traffic waits to go back. */
const LONGEST_HOLD_MS = { urgent: 2_000, transient: 15_000, permanent: 10 * 60_000 } as const;

/** Performs one decision; what refuses becomes a hold, so that it can be seen and tried again. */
export async function perform(decision: Performable, situation: Situation): Promise<Performed> {
  try {
    const done = await interruptible(
      () => carryOut(decision, situation),
      interruptionOf(decision, situation),
    );
    if (done.is === 'Interrupted') return numbered(interrupted(decision, situation), decision, situation);
    return done.value;
  } catch (error) {
    return numbered(held(decision, failureOf(error)), decision, situation);
  }
}

/** Remembers how many writes were tried, since one that failed may have got as far as the configuration. */
function numbered(done: Performed, decision: Performable, { observed }: Situation): Performed {
  if (decision.do !== 'Shift') return done;
  return { ...done, apply: (state) => ({ ...done.apply(state), sequence: nextSequence(observed, state) }) };
}

/** What goes before a decision that is being carried out: nothing goes before taking traffic back. */
function interruptionOf(decision: Performable, { observed, state, isStale }: Situation): Interruption {
  if (decision.do === 'Shift' && decision.urgent) return { happened: () => false };
  if (decision.do === 'CheckIdle') return { happened: isStale };
  if (decision.do !== 'Shift') return { happened: () => abortIsDue(state()) };
  const goesOnPaused = decision.purpose === 'Restore' || decision.purpose === 'TakeOut';
  const { rollout } = state();
  return {
    happened: () =>
      isStale() ||
      abortIsDue(state()) ||
      (!goesOnPaused && state().requests.paused !== undefined) ||
      measured.isBackgroundDue(state()),
    at: rollout === undefined || observed.cell === undefined ? undefined : deadlineOf(rollout, observed.cell),
  };
}

/** What was interrupted may have been done all the same. */
function interrupted(decision: Performable, { observed }: Situation): Performed {
  switch (decision.do) {
    case 'Shift':
      return { apply: (state) => ({ ...record.withoutInspected(state), mayDiffer: true }), sight: 'Stale' };
    case 'StartMeasurement':
      return { apply: (state) => startedPerhaps(decision, observed, state), sight: 'Stale' };
    default:
      return { apply: (state) => state, sight: 'Stale' };
  }
}

async function carryOut(decision: Performable, situation: Situation): Promise<Performed> {
  const { cell } = situation.observed;
  if (decision.do === 'Remove' || decision.do === 'Release') return letGo(decision, situation);
  if (cell === undefined)
    throw ApplicationFailure.nonRetryable('Expected a Cell, got none.', 'ObjectNotFound');
  const done = await carryOutFor(cell, decision, situation);
  const event = eventOf(decision);
  return event === undefined || !done.isDone
    ? done
    : { ...done, apply: (state) => record.noted(done.apply(state), event) };
}

async function carryOutFor(
  cell: PresentCell,
  decision: Performable,
  situation: Situation,
): Promise<CarriedOut> {
  const now = Date.now();
  switch (decision.do) {
    case 'Begin':
      return kept((state) => record.began(state, decision, { id: uuid4().slice(0, 8), cell, now }));
    case 'Shift':
      return shift(decision, situation, cell);
    case 'Inspect':
      return kept(await inspect(decision, situation.observed, cell));
    case 'CheckIdle': {
      const found = await elbv2Reads(decision.message).readTargetHealth(decision.targetGroupARNs);
      return kept((state) => hold.idleRead(state, found, Date.now()));
    }
    case 'Prune': {
      const { successfulRunHistoryLimit, unsuccessfulRunHistoryLimit } = cell.spec.analysis ?? {};
      const limits = { successful: successfulRunHistoryLimit, unsuccessful: unsuccessfulRunHistoryLimit };
      const { key } = situation.observed;
      await measurements(decision.message).pruneMeasurements({ key, atRestAt: now, ...limits });
      return kept(measured.pruned);
    }
    case 'ReadLostRun': {
      const { workflowId } = cell.status.rollout ?? { workflowId: '' };
      const ended = await objects(decision.message).readLostRun({ workflowId, runId: decision.runId });
      return kept((state) => lostRunRead(state, cell, ended, now));
    }
    case 'Pause':
      return kept((state) => record.paused(state, now));
    case 'Advance':
      return kept(record.advanced);
    case 'Replan':
      return kept((state) => record.replanned(state, decision, cell));
    case 'End':
      return kept((state) => record.ending(state, decision, cell));
    case 'Bake':
      return kept((state) => record.baking(state, now));
    case 'Conclude':
      return looking((state) => record.concluded(state, now));
    case 'Finish':
      return looking((state) => record.finished(state, now));
    case 'WaiveBackground':
      return kept(measured.backgroundWaived);
    case 'Remove':
    case 'Release':
      throw ApplicationFailure.nonRetryable('Expected something to be done for a Cell.', 'InvalidObject');
    default:
      return kept(await measure(decision, situation, cell));
  }
}

/** Removes or releases what the configuration of a Cell that is gone, or that has lost it, has made. */
async function letGo(
  decision: Extract<Decision, { do: 'Remove' | 'Release' }>,
  { observed, state }: Situation,
): Promise<Performed> {
  const ref = { type: observed.configType ?? 'AWSApplicationLoadBalancer', key: observed.key } as const;
  if (decision.do === 'Release') {
    await objects(decision.message).releaseLoadBalancer(ref);
    return looking(record.withoutInspected);
  }
  const { budget } = state();
  const ticket = budget === undefined ? {} : { ticket: budget.ticket };
  const removed = await configs(decision.message).removeLoadBalancer({ ref, ...ticket });
  return removed.is === 'NotYet' ? postponed(removed, false) : looking(record.withoutInspected);
}

function held(decision: Performable, { reason, message, permanent }: Failure): Performed {
  const isQuiet =
    decision.do === 'CheckIdle' ||
    decision.do === 'Prune' ||
    (decision.do === 'Shift' && decision.purpose === 'Detach');
  return {
    sight: 'Stale',
    apply: (state) => {
      const isUrgent = (decision.do === 'Shift' && decision.urgent) || state.rollout?.ending !== undefined;
      const longestMs = LONGEST_HOLD_MS[isUrgent ? 'urgent' : permanent ? 'permanent' : 'transient'];
      const failure = {
        during: decision.do,
        ...(decision.do === 'Shift' ? { purpose: decision.purpose } : {}),
        reason,
        message,
        ...('background' in decision && decision.background !== undefined
          ? { background: true as const }
          : {}),
        ...(isQuiet ? { quiet: true as const } : {}),
      };
      const next = hold.refused(state, failure, { now: Date.now(), longestMs });
      const isNew = state.backoff?.reason !== reason || state.backoff.message !== message;
      return isNew ? record.noted(next, refusalEvent(reason, message)) : next;
    },
  };
}
