import { onlyRegistered, type GuardInput } from '../../gates/guard.ts';
import { everythingTo, MAX_TARGET_GROUPS } from '../../load-balancers/weights.ts';
import type { Decision, Shift } from '../../model/decision.ts';
import type { Candidates } from '../../versions/candidate.ts';
import { tooMany, waiting } from './settle.ts';

/** Gives everything to the version that should serve where nothing is served yet. */
export function install(found: Candidates, input: GuardInput): Decision {
  const { target } = found;
  if (target === undefined) return waiting(found, undefined);
  const { version, groups } = target;
  if (groups.length > MAX_TARGET_GROUPS) return tooMany(groups, `Version ${version} has`);
  const shift: Shift = {
    do: 'Shift',
    purpose: 'Install',
    version,
    shares: everythingTo(groups, []),
    urgent: false,
    message: `Installing ${version} with all traffic, because nothing is served yet.`,
  };
  return onlyRegistered(shift, input);
}
