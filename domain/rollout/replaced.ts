import { guard, type GuardInput } from '../gates/guard.ts';
import type { Decision, Shift } from '../model/decision.ts';
import { carriersBeside } from '../versions/stable.ts';
import type { VersionSet } from '../versions/version.ts';
import { withoutRoom } from './begin.ts';

/**
 * Whether what serves has only changed its target groups. The new ones have never served, so they have to be healthy first;
 * unless a rule has no room for all, or something else has to give its weight back.
 */
export const isReplaced = (stable: VersionSet, by: VersionSet, input: GuardInput): boolean =>
  by.version === stable.version &&
  input.cell.status.rollout === undefined &&
  carriersBeside(stable, input.observed, input.cell).length === 0 &&
  withoutRoom({ stable, canary: by }, input) === undefined;

/** Gives everything to the new target groups of what serves once they are healthy; at once where the old ones serve nobody. */
export function onceHealthy(shift: Shift, stable: VersionSet, input: GuardInput): Decision {
  // ELBv2 refuses all that names a target group which is gone there.
  if (input.state.backoff?.reason === 'TargetGroupNotFound') return shift;
  const guarded = guard(shift, input);
  if (guarded.do !== 'Shift') return guarded;
  const { healthy = [], registered = [] } = guarded.requires ?? {};
  const inPlaceOf = stable.groups.map(({ arn }) => arn);
  return { ...guarded, requires: { healthy, registered, inPlaceOf } };
}
