import type { PresentCell } from '../versions/candidate.ts';
import type { Decision } from '../model/decision.ts';
import { parseDuration } from '../duration.ts';
import { omit } from '../model/fields.ts';
import { namesOf } from '../text.ts';
import type { ObservedCell } from '../model/observation.ts';
import { shiftPurposes } from '../model/shift-purpose.ts';
import type { WeightedTargetGroup } from '../model/target-group.ts';
import type { TargetHealthCheck, RolloutState } from '../model/state.ts';
import { gaining, includes, MAX_TARGET_GROUPS } from '../load-balancers/weights.ts';

/** The longest time between two looks at targets that are not healthy, in milliseconds. */
const LONGEST_HEALTH_INTERVAL_MS = 30_000;

type Shift = Extract<Decision, { do: 'Shift' }>;

/** What a guard looks at. */
export interface GuardInput {
  readonly observed: ObservedCell;
  readonly cell: PresentCell;
  readonly state: RolloutState;
  readonly now: number;
}

/** Lets a shift pass only with what its purpose needs; `whenTimedOut` decides once that is lacking for longer than `spec.healthTimeout`. */
export function guard(shift: Shift, input: GuardInput, whenTimedOut?: (lack: string) => Decision): Decision {
  switch (shiftPurposes[shift.purpose].needs) {
    case 'Healthy':
      return onlyHealthy(shift, input, whenTimedOut);
    case 'Registered':
      return onlyRegistered(shift, input, whenTimedOut);
    case 'Nothing':
      return shift;
  }
}

/** Gives no group more without a healthy target; one that no rule uses is attached at 0 first, as ELBv2 does not check it (Target.NotInUse). */
function onlyHealthy(shift: Shift, input: GuardInput, whenTimedOut?: (lack: string) => Decision): Decision {
  const { observed } = input;
  const receiving = gaining(shift.shares, certain(observed));
  if (receiving.length === 0) return onlyRegistered(shift, input, whenTimedOut);
  const isAttached = receiving.every((group) => includes(observed.weighted, group));
  const guarded = isAttached
    ? { ...shift, requires: { healthy: receiving.map(({ arn }) => arn), registered: [] } }
    : attach(shift, observed);
  return unlessLacking(guarded, input, whenTimedOut);
}

/** The weight that each group has for sure: what is served may be what was asked for last, while that is not confirmed. */
function certain({ weighted, desired, isApplied }: ObservedCell): readonly WeightedTargetGroup[] {
  if (isApplied || desired === undefined) return weighted;
  const askedFor = (arn: string): number => desired.find((one) => one.arn === arn)?.weight ?? 0;
  return weighted.map((group) => ({ ...group, weight: Math.min(group.weight, askedFor(group.arn)) }));
}

/** Attaches nothing without a registered target: on AWS a group without any counts as unhealthy. */
function onlyRegistered(
  shift: Shift,
  input: GuardInput,
  whenTimedOut?: (lack: string) => Decision,
): Decision {
  const joining = shift.shares.filter((group) => !includes(input.observed.weighted, group));
  if (joining.length === 0) return shift;
  const registered = joining.map(({ arn }) => arn);
  return unlessLacking({ ...shift, requires: { healthy: [], registered } }, input, whenTimedOut);
}

/** Waits while the last look has found that a shift lacks what it requires. */
function unlessLacking(
  shift: Shift,
  { state, cell, now }: GuardInput,
  whenTimedOut?: (lack: string) => Decision,
): Decision {
  const { healthy = [], registered = [] } = shift.requires ?? {};
  const known = checkAbout(state.health, [...healthy, ...registered]);
  if (known === undefined) return shift;
  // Who asks for the whole weight gets it once a look has shown what the targets lack, and is told of that.
  if (state.requests.promoteFull !== undefined && shift.purpose === 'ShiftingTraffic')
    return omit(shift, 'requires');
  // Targets may have become healthy while a Freeze, a window or a person held the rollout and nobody looked.
  const isLate = now - known.since >= parseDuration(cell.spec.healthTimeout) * 1000;
  if (whenTimedOut !== undefined && isLate && now - known.at <= LONGEST_HEALTH_INTERVAL_MS)
    return whenTimedOut(known.lack);
  const next = known.at + Math.min(LONGEST_HEALTH_INTERVAL_MS, 1000 * 2 ** Math.min(known.checks - 1, 20));
  return now >= next ? shift : { do: 'Wait', for: 'Health', until: next, message: known.lack };
}

/** Since when targets lack what they lacked before; the time in which nobody has looked does not count. */
export function lackingSince({ since, at }: Pick<TargetHealthCheck, 'since' | 'at'>, now: number): number {
  const gap = now - at;
  // A look comes late by what it takes to wake up, to see the objects, and to wait for a turn.
  return gap > 2 * LONGEST_HEALTH_INTERVAL_MS ? since + gap - LONGEST_HEALTH_INTERVAL_MS : since;
}

/** The last health check that was about these groups, as far as it is remembered. */
export const checkAbout = (
  health: TargetHealthCheck | undefined,
  arns: readonly string[],
): Omit<TargetHealthCheck, 'other'> | undefined =>
  [health, health?.other].find((one) => one !== undefined && isAbout(one, arns));

/** Whether a health check was about these groups. */
export const isAbout = (
  { targetGroupARNs }: Pick<TargetHealthCheck, 'targetGroupARNs'>,
  arns: readonly string[],
): boolean => targetGroupARNs.length === arns.length && arns.every((arn) => targetGroupARNs.includes(arn));

/** Attaches the groups that a write was refused for: ELBv2 checks only those that a rule uses. All other weights stay. */
export function attachFirst(decision: Decision, input: GuardInput): Decision {
  const { observed, state } = input;
  if (decision.do !== 'Shift' || state.backoff?.reason !== 'NoHealthyTargets') return decision;
  const receiving = decision.shares.filter(({ weight }) => weight > 0);
  const staying = observed.weighted.filter((group) => group.weight > 0 || includes(receiving, group));
  // Where nothing carries traffic any more, nothing can lose it.
  if (!staying.some(({ weight }) => weight > 0)) return decision;
  const joining = receiving.filter((group) => !includes(staying, group));
  const fitting = joining.slice(0, Math.max(0, MAX_TARGET_GROUPS - staying.length));
  if (fitting.length === 0) return decision;
  const shares = receiving.filter((group) => !includes(joining, group) || includes(fitting, group));
  return unlessLacking(attach({ ...decision, shares }, observed), input);
}

function attach(shift: Shift, observed: ObservedCell): Shift {
  const staying = observed.weighted.filter((group) => group.weight > 0 || includes(shift.shares, group));
  const joining = shift.shares.filter((group) => !includes(observed.weighted, group));
  const shares = [...staying, ...joining.map((group) => ({ ...group, weight: 0 }))];
  return {
    do: 'Shift',
    purpose: 'AttachingTargetGroups',
    version: shift.version,
    shares,
    // While a write is not confirmed, keeping the weights that were read last may give some of them back.
    requires: {
      healthy: gaining(shares, certain(observed)).map(({ arn }) => arn),
      registered: joining.map(({ arn }) => arn),
    },
    message: `Attaching ${namesOf(joining)} at weight 0, so that ELBv2 checks the targets.`,
  };
}
