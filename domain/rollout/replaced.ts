import { guard, type GuardInput } from '../gates/guard.ts';
import type { Decision, Shift } from '../model/decision.ts';
import { carriersBeside } from '../versions/stable.ts';
import type { VersionSet } from '../versions/version.ts';
import { withoutRoom } from './begin.ts';

/**
 * Whether what serves has only changed its target groups. The new ones have never served, so they have to be healthy first;
 * unless a rule has no room for all, or something else has to give its weight back.
 */
export const isReplaced = (
  stable: VersionSet,
  by: VersionSet,
  { goesBy = () => true, ...input }: GuardInput,
): boolean =>
  by.version === stable.version &&
  input.cell.status.rollout === undefined &&
  carriersBeside(stable, input.observed, input.cell).length === 0 &&
  withoutRoom({ stable, canary: by }, input) === undefined &&
  goesBy('replaced-waits-for-health');

/** Gives everything to the new target groups of what serves once they are healthy; at once where the old ones serve nobody. */
export function onceHealthy(shift: Shift, stable: VersionSet, input: GuardInput): Decision {
  const { backoff } = input.state;
  const arns = shift.shares.map(({ arn }) => arn);
  const isOfNew = arns.some((arn) => backoff?.message.includes(arn));
  // ELBv2 refuses all that names a target group which is gone there.
  if (backoff?.reason === 'TargetGroupNotFound' && !isOfNew) return shift;
  // What it does not attach beside the old ones never gets healthy there.
  const isRefused = backoff?.purpose === 'Attach';
  const guarded = isRefused ? { ...shift, requires: { healthy: arns, registered: [] } } : guard(shift, input);
  if (guarded.do !== 'Shift') return guarded;
  const { healthy = [], registered = [] } = guarded.requires ?? {};
  return {
    ...guarded,
    requires: { healthy, registered, inPlaceOf: stable.groups.map(({ arn }) => arn) },
  };
}
