import { connectionsAtRest } from '../../load-balancers/connections.ts';
import { checkAbout, isAbout, lackingSince } from '../../gates/guard.ts';
import type { TargetHealth } from '../../gates/health.ts';
import { recordHealth } from '../../gates/targets.ts';
import type { Decision, Shift } from '../../model/decision.ts';
import type { ObservedCell } from '../../model/observation.ts';
import type { PresentCell } from '../../versions/candidate.ts';
import { omit } from '../../model/fields.ts';
import { isRefusedForHealth, withoutInspected, withoutBackoff } from './record.ts';
import type { RetryBackoff, Retry, RolloutState, TargetHealthCheck } from '../../model/state.ts';

/** Records that nothing was written, because the target groups lack what the write requires. */
export function recordLack(
  state: RolloutState,
  { targetGroupARNs, lack }: { readonly targetGroupARNs: readonly string[]; readonly lack: string },
  now: number,
): RolloutState {
  const known = checkAbout(state.health, targetGroupARNs);
  const { health, ...rest } = isRefusedForHealth(state) ? state : withoutBackoff(state);
  const since = known === undefined ? now : lackingSince(known, now);
  const checks = (known?.checks ?? 0) + 1;
  const other = otherThan(targetGroupARNs, health);
  const check = { targetGroupARNs, since, at: now, checks, lack };
  return { ...rest, health: other === undefined ? check : { ...check, other } };
}

/** The check that stays beside one of these groups: the last one that was about others. */
function otherThan(
  targetGroupARNs: readonly string[],
  health: TargetHealthCheck | undefined,
): TargetHealthCheck['other'] {
  if (health === undefined || isAbout(health, targetGroupARNs)) return health?.other;
  return omit(health, 'other');
}

/** Records what a look at the targets of all groups in the rule has shown. */
export function recordHealthCheck(
  before: RolloutState,
  found: readonly TargetHealth[],
  { settled }: Extract<Decision, { do: 'CheckHealth' }>,
  at: { readonly observed: ObservedCell; readonly cell: PresentCell; readonly now: number },
): RolloutState {
  const { observed, now } = at;
  const isOver = before.backoff?.during === 'CheckHealth';
  const state = recordHealth(isOver ? withoutBackoff(before) : before, found, at);
  if (settled === undefined) return state;
  const idle = found.filter(({ targetGroupARN }) =>
    observed.weighted.some(({ arn, weight }) => arn === targetGroupARN && weight === 0),
  );
  return {
    ...state,
    idle: {
      targetGroupARNs: idle.map(({ targetGroupARN }) => targetGroupARN),
      since: state.idle?.since ?? now,
      at: now,
      unhealthyARNs: idle.filter(({ healthy }) => healthy === 0).map(({ targetGroupARN }) => targetGroupARN),
      connections: connectionsAtRest(idle),
    },
  };
}

type Refused = Omit<RetryBackoff, 'since' | 'attempts' | 'until'>;

/** Whether nothing was done since something was refused; what takes traffic back does not wait for what something else was refused. */
const isAgain = (before: RetryBackoff | undefined, now: Refused): before is RetryBackoff =>
  before !== undefined &&
  (now.vain !== true ||
    (before.reason === now.reason && before.during === now.during && before.purpose === now.purpose));

/** Records that something outside refused; it is tried again after a while that doubles, up to `longestMs`. */
export function recordRefusal(
  state: RolloutState,
  failure: Refused,
  at: { now: number; longestMs: number },
): RolloutState {
  const attempts = (isAgain(state.backoff, failure) ? state.backoff.attempts : 0) + 1;
  const since = state.backoff?.since ?? at.now;
  return {
    ...withoutInspected(state),
    backoff: { ...failure, since, attempts, until: at.now + delayAfter(attempts, at.longestMs) },
  };
}

/** Records that ELBv2 serves what takes traffic back, and that the configuration object could not be written: it is tried again. */
export const recordUnrecorded = (
  state: RolloutState,
  { purpose, shares }: Pick<Shift, 'purpose' | 'shares'>,
  failure: FailureText,
  now: number,
): RolloutState => ({
  ...recordRefusal(state, { ...failure, during: 'Shift', purpose }, { now, longestMs: 15_000 }),
  inspected: { is: 'Serving', targetGroups: shares },
});

/** Records that the status could not be written. */
export const recordReportFailure = (
  state: RolloutState,
  failure: FailureText,
  now: number,
): RolloutState => ({
  ...state,
  unreported: retryOf(state.unreported, failure, now),
});

type FailureText = Pick<Retry, 'reason' | 'message'>;

/** The longest time between two attempts to look at the objects or to report, in milliseconds. */
const LONGEST_RETRY_MS = 30_000;

/** Counts another attempt in vain, and says when the next one is made. */
export function retryOf(before: Retry | undefined, { reason, message }: FailureText, now: number): Retry {
  const attempts = (before?.attempts ?? 0) + 1;
  return { reason, message, attempts, until: now + delayAfter(attempts, LONGEST_RETRY_MS) };
}

const delayAfter = (attempts: number, longestMs: number): number =>
  Math.min(longestMs, 500 * 2 ** Math.min(attempts - 1, 20));

/** Records that what held may have changed: it is tried again at once, and what seemed to be in vain soon after as well. */
export function resetBackoff(state: RolloutState, now: number): RolloutState {
  if (state.backoff === undefined) return state;
  const { vain, ...backoff } = state.backoff;
  const attempts = vain === true ? 0 : backoff.attempts;
  return { ...state, backoff: { ...backoff, attempts, until: now } };
}
