import { deadlineOf } from '../../gates/deadline.ts';
import { goesForward } from '../../gates/gate.ts';
import type { Performable } from '../../model/decision.ts';
import type { ObservedCell } from '../../model/observation.ts';
import { isReadingRefused } from '../measure/background.ts';
import { eventOf, refusalEvent } from '../report/events.ts';
import { measurementName } from '../measure/measurement.ts';
import type { CarriedOut, Performed } from './performed.ts';
import * as backoff from './backoff.ts';
import { isBackgroundDue, recordVerdict } from './measurement.ts';
import { addEvent, withoutInspected } from './record.ts';
import { abortTakesBack, isStale, type Run } from './run.ts';
import { nextSequence } from '../shift.ts';
import { isUrgent } from '../../model/shift-purpose.ts';

/** Why something outside refused. */
export interface Refusal {
  readonly reason: string;
  readonly message: string;
  /** Whether trying again without a change elsewhere is of no use. */
  readonly permanent: boolean;
}

/** How an attempt to carry out a decision ended: it was done or postponed, something went before it, it was lost with who made it, or it was refused. */
export type Attempt =
  | { readonly is: 'CarriedOut'; readonly done: CarriedOut }
  | { readonly is: 'Interrupted' }
  | { readonly is: 'Lost'; readonly refusal: Refusal }
  | { readonly is: 'Refused'; readonly refusal: Refusal };

/** What an attempt to carry out a decision changes of what a run knows. */
export function recordAttempt(decision: Performable, attempt: Attempt, observed: ObservedCell): Performed {
  switch (attempt.is) {
    case 'CarriedOut':
      return withEvent(attempt.done, decision);
    case 'Interrupted':
      return countWrite(onInterruption(decision, observed), decision, observed);
    case 'Lost':
      return countWrite(onLoss(decision, attempt.refusal, observed), decision, observed);
    case 'Refused':
      return countWrite(onRefusal(decision, attempt.refusal), decision, observed);
  }
}

function withEvent(done: CarriedOut, decision: Performable): Performed {
  const event = eventOf(decision);
  if (event === undefined || !done.isDone) return done;
  return { ...done, apply: (state, now) => addEvent(done.apply(state, now), event) };
}

/** Remembers how many writes were tried, since one that failed may have got as far as the configuration. */
function countWrite(done: Performed, decision: Performable, observed: ObservedCell): Performed {
  if (decision.do !== 'Shift') return done;
  return {
    ...done,
    apply: (state, now) => ({ ...done.apply(state, now), sequence: nextSequence(observed, state) }),
  };
}

/** What was interrupted may have been done all the same. */
function onInterruption(decision: Performable, observed: ObservedCell): Performed {
  switch (decision.do) {
    case 'Shift':
      return { apply: (state) => ({ ...withoutInspected(state), mayDiffer: true }), observation: 'Stale' };
    case 'StartMeasurement':
      // It waits to be ended, since nobody knows whether it was started.
      return {
        apply: (state, now) => {
          if (state.rollout === undefined) return state;
          const name = measurementName(decision, observed.key.name, state.rollout);
          return recordVerdict(state, decision, { name, phase: 'Pending', message: '' }, now);
        },
        observation: 'Stale',
      };
    default:
      return { apply: (state) => state, observation: 'Stale' };
  }
}

/** Tries a lost write again at once, and waits when the next is lost too, as the write itself may stop workers; others wait at once. */
function onLoss(decision: Performable, refusal: Refusal, observed: ObservedCell): Performed {
  const refusing = onRefusal(decision, refusal);
  if (decision.do !== 'Shift') return refusing;
  const interrupting = onInterruption(decision, observed);
  return {
    observation: 'Stale',
    apply: (state, now) => (state.mayDiffer === true ? refusing : interrupting).apply(state, now),
  };
}

/** The longest wait before another attempt at what was refused, in milliseconds; longer only for what is refused for good. */
const LONGEST_BACKOFF_MS = {
  urgent: 2_000,
  vain: 15_000,
  transient: 15_000,
  permanent: 10 * 60_000,
} as const;

/** Whether only a change elsewhere lets it be done; what another write has overtaken is done by the next look. */
const isForGood = ({ reason, permanent }: Refusal): boolean => permanent && reason !== 'Superseded';

/** What is refused waits, so that it can be seen and tried again. */
function onRefusal(decision: Performable, refusal: Refusal): Performed {
  const { reason, message, permanent } = refusal;
  const isQuiet =
    decision.do === 'CheckHealth' ||
    decision.do === 'Prune' ||
    (decision.do === 'Shift' && decision.purpose === 'DetachingTargetGroups');
  const isTakeBack = decision.do === 'Shift' && isUrgent(decision);
  const isOfBackground = 'background' in decision && decision.background !== undefined;
  const failure = {
    during: decision.do,
    ...(decision.do === 'Shift' ? { purpose: decision.purpose } : {}),
    ...(isOfBackground ? { background: true as const } : {}),
    reason,
    message,
    ...(isQuiet ? { quiet: true as const } : {}),
  };
  return {
    observation: 'Stale',
    apply: (state, now) => {
      const takesBack = isTakeBack || state.rollout?.ending !== undefined;
      const isVain = takesBack && isForGood(refusal);
      const isHurried = takesBack && reason !== 'NoHealthyTargets';
      const kind = isVain ? 'vain' : isHurried ? 'urgent' : permanent ? 'permanent' : 'transient';
      const told = isVain ? { ...failure, vain: true as const } : failure;
      // What takes traffic back asks no object before it writes, so that none shows that it may be served all the same.
      const isUnsure = isTakeBack && reason !== 'NoHealthyTargets';
      const before = isUnsure ? { ...state, mayDiffer: true as const } : state;
      const next = backoff.recordRefusal(before, told, { now, longestMs: LONGEST_BACKOFF_MS[kind] });
      const isNew = state.backoff?.reason !== reason || state.backoff.message !== message;
      return isNew ? addEvent(next, refusalEvent(reason, message)) : next;
    },
  };
}

/** Whether something goes before a decision that is being carried out; nothing goes before taking traffic back. */
export function isInterrupted(decision: Performable, run: Run): boolean {
  const { state } = run;
  if (decision.do === 'CheckHealth') return isStale(run);
  if (decision.do !== 'Shift') return abortTakesBack(run);
  if (isUrgent(decision)) return false;
  return (
    isStale(run) ||
    abortTakesBack(run) ||
    // A pause holds what goes forward in a rollout, and nothing where there is none. Adopting keeps all weights.
    (goesForward(decision) &&
      decision.purpose !== 'Adopting' &&
      state.rollout !== undefined &&
      state.requests.paused !== undefined) ||
    // What is written while the reading waits for its next attempt brings that no nearer when it is given up.
    (isBackgroundDue(state) && !isReadingRefused(state))
  );
}

/** When carrying out a decision is given up, in milliseconds since the epoch; undefined: never by time. */
export function givenUpAt(decision: Performable, { state, observed }: Run): number | undefined {
  if (decision.do !== 'Shift' || isUrgent(decision)) return undefined;
  const { rollout } = state;
  return rollout === undefined || observed?.cell === undefined
    ? undefined
    : deadlineOf(rollout, observed.cell);
}
