import { guard, type GuardInput } from '../../gates/guard.ts';
import { includes, split, weightOf } from '../../load-balancers/weights.ts';
import type { Decision, Shift, Wait } from '../../model/decision.ts';
import type { Rollout } from '../../model/state.ts';
import type { TargetGroup } from '../../model/target-group.ts';
import { noLaterThan } from '../../model/waits.ts';
import { leftOf, presentOf } from '../../versions/stable.ts';
import { byName, type VersionSet } from '../../versions/version.ts';
import { sharesAt } from './canary.ts';

/** Takes stable groups out at once whose AWSTargetGroups are gone or claim another version; the weight of the canary stays. */
export function takeOut(rollout: Rollout, input: GuardInput): Decision | undefined {
  const { observed } = input;
  const left = leftOf(rollout.stable, observed);
  const gone = leaving(rollout.stable, left, input);
  if (gone.length === 0) return undefined;
  const joining = rollout.canary.groups.filter((group) => includes(observed.weighted, group));
  const weight = weightOf(rollout.canary.groups, observed.weighted);
  const attached = { ...rollout, canary: { ...rollout.canary, groups: joining } };
  // A canary that is not attached yet has nothing to take over.
  if (left.length === 0 && joining.length === 0) return undefined;
  return guard(without(gone, rollout.stable, sharesAt(weight, attached, input)), input);
}

/**
 * Takes groups of what serves out at once that are gone, also while it waits, maybe for ever, for the targets of what is to
 * serve instead; the others of its groups get their share, and all else keeps its weight.
 */
export function takeOutMeanwhile(wait: Wait, stable: VersionSet, input: GuardInput): Decision {
  const { weighted, selected } = input.observed;
  const left = presentOf(stable, selected);
  const gone = leaving(stable, left, input);
  if (gone.length === 0 || left.length === 0) return wait;
  const others = weighted.filter((group) => !includes(stable.groups, group));
  const shares = [...split(weightOf(stable.groups, weighted), left), ...others].toSorted(byName);
  const out = guard(without(gone, stable, shares), input);
  return out.do === 'Wait' ? noLaterThan(out.until, wait) : out;
}

/** The groups of a set that carry traffic and are not left. */
const leaving = (
  { groups }: VersionSet,
  left: readonly TargetGroup[],
  { observed: { weighted } }: GuardInput,
): readonly TargetGroup[] =>
  groups.filter((group) => !includes(left, group) && weightOf([group], weighted) > 0);

const without = (gone: readonly TargetGroup[], { version }: VersionSet, shares: Shift['shares']): Shift => ({
  do: 'Shift',
  purpose: 'TakeOut',
  version,
  shares,
  urgent: false,
  message: `Taking ${gone.map(({ name }) => name).join(', ')} out, because its AWSTargetGroup is gone or claims another version.`,
});
