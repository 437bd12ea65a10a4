import { gate } from '../gates/gate.ts';
import { guard, onlyRegistered, type GuardInput } from '../gates/guard.ts';
import { everythingTo, MAX_TARGET_GROUPS, withCarriers } from '../load-balancers/weights.ts';
import type { Close, Decision, Shift } from '../model/decision.ts';
import type { Candidates } from '../versions/candidate.ts';
import type { VersionSet } from '../versions/version.ts';
import { tooMany, waiting } from './settle.ts';

/** Gives everything to the version that should serve where nothing is served yet. */
export function install(found: Candidates, input: GuardInput): Decision {
  const { target } = found;
  if (target === undefined) return waiting(found, undefined);
  const shift = everythingFor(target, 'nothing is served yet');
  return shift.do === 'Shift' ? onlyRegistered(shift, input) : shift;
}

/**
 * Installs what is complete in the place of target groups of which nobody knows anything. They may serve well: nothing is
 * taken from them before there is something healthy, unless a rule has no room for both, and a Freeze holds it.
 */
export function inPlaceOf(target: VersionSet | undefined, input: GuardInput): Decision | undefined {
  if (target === undefined) return undefined;
  const why = 'nothing that is served belongs to target groups that the Cell selects';
  const shift = everythingFor(target, why);
  if (shift.do !== 'Shift') return shift;
  const gated = gate(shift, input);
  if (gated !== shift) return gated;
  const fits = withCarriers(target.groups, input.observed.weighted).length <= MAX_TARGET_GROUPS;
  return fits ? guard(shift, input) : onlyRegistered(shift, input);
}

function everythingFor({ version, groups }: VersionSet, why: string): Shift | Close {
  if (groups.length > MAX_TARGET_GROUPS) return tooMany(groups, `Version ${version} has`);
  return {
    do: 'Shift',
    purpose: 'Install',
    version,
    shares: everythingTo(groups, []),
    urgent: false,
    message: `Installing ${version} with the whole weight, because ${why}.`,
  };
}
