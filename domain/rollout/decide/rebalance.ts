import { gate } from '../../gates/gate.ts';
import { carryingOf } from '../../gates/targets.ts';
import { guard, type GuardInput } from '../../gates/guard.ts';
import {
  everythingTo,
  includes,
  MAX_TARGET_GROUPS,
  weightOf,
  whereAllFit,
} from '../../load-balancers/weights.ts';
import { type Decision, type Shift, noLaterThan } from '../../model/decision.ts';
import type { TargetGroup } from '../../model/target-group.ts';
import type { VersionSet } from '../../versions/version.ts';
import { namesOf } from '../../text.ts';
import { closeTooMany } from './close.ts';

/** Spreads the weight of what serves over the target groups that it has now; undefined where it has it. */
export function rebalance(
  input: GuardInput,
  sets: readonly VersionSet[],
  stable: VersionSet,
): Decision | undefined {
  const found = sets.find((one) => one.version === stable.version);
  const set = found && { ...found, groups: carryingOf(found.groups, input) };
  const carrying = stable.groups.filter((group) => weightOf([group], input.observed.weighted) > 0);
  if (found === undefined || set === undefined || sameGroups(set.groups, carrying)) return undefined;
  const together = [...stable.groups, ...set.groups.filter((group) => !includes(stable.groups, group))];
  const shift: Shift = {
    do: 'Shift',
    purpose: 'Rebalancing',
    version: set.version,
    shares: everythingTo(set.groups, [
      ...evacuated(found.groups, set.groups, input),
      ...idleBeside(together, input),
    ]),
    message: `Spreading the weight of ${set.version} over its ${set.groups.length} target groups.`,
  };
  const fits = together.length <= MAX_TARGET_GROUPS;
  const whole = fits
    ? passed(shift, input, giveUp(shift, input))
    : closeTooMany(together, `Version ${set.version} has`);
  if (whole.do === 'Shift') return whole;
  // What is gone leaves at once, also where something joins that has to wait, or for which there is no room before.
  const staying = carrying.filter((group) => includes(set.groups, group));
  if (staying.length === 0 || staying.length === carrying.length) return whole;
  const out: Shift = {
    ...shift,
    shares: everythingTo(staying, idleBeside(stable.groups, input)),
    message: `Spreading the weight of ${set.version} over the ${staying.length} remaining target groups.`,
  };
  return sooner(passed(out, input), whole);
}

function passed(shift: Shift, input: GuardInput, whenTimedOut?: (lack: string) => Decision): Decision {
  const gated = gate(shift, input);
  return gated === shift ? guard(shift, input, whenTimedOut) : gated;
}

/** Takes groups out that joined the rule and are not healthy in time, as such a group can fail the load balancer in DNS; undefined without one. */
function giveUp(
  { version, shares }: Shift,
  { observed: { weighted } }: GuardInput,
): ((lack: string) => Decision) | undefined {
  const joined = weighted.filter((group) => group.weight === 0 && includes(shares, group));
  if (joined.length === 0) return undefined;
  return (lack) => {
    const sick = joined.filter(({ arn }) => lack.includes(arn));
    const leaving = sick.length === 0 ? joined : sick;
    return {
      do: 'Shift',
      purpose: 'DetachingTargetGroups',
      version,
      shares: weighted.filter((group) => !includes(leaving, group)),
      sittingOut: leaving.map(({ arn }) => arn),
      message: `Removing ${namesOf(leaving)} from the rule, because its targets did not become healthy within spec.healthTimeout. ${lack}`,
    };
  };
}

/** What is done of two: the first, unless both wait for healthy targets; then what joins is told of, and either is looked at when it is due. */
function sooner(out: Decision, whole: Decision): Decision {
  const bothWait = out.do === 'Wait' && whole.do === 'Wait' && whole.for === 'Health';
  return bothWait ? noLaterThan(out.until, whole) : out;
}

/** The groups of the version that carry weight and lose it, because no target of theirs is healthy: they stay at weight 0. */
const evacuated = (
  groups: readonly TargetGroup[],
  staying: readonly TargetGroup[],
  { observed: { weighted } }: GuardInput,
): readonly TargetGroup[] =>
  weighted.filter((one) => one.weight > 0 && includes(groups, one) && !includes(staying, one));

/** The groups at weight 0 that stay in the rule, where there is room for all of them. */
function idleBeside(groups: readonly TargetGroup[], { observed }: GuardInput): readonly TargetGroup[] {
  const idle = observed.weighted.filter((one) => one.weight === 0 && !includes(groups, one));
  return whereAllFit(groups, idle);
}

const sameGroups = (a: readonly TargetGroup[], b: readonly TargetGroup[]): boolean =>
  a.length === b.length && a.every((one) => includes(b, one));
