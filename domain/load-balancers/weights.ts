import type { WeightedTargetGroup, TargetGroup } from '../model/target-group.ts';
import { byName } from '../versions/version.ts';

/** What the weights of a rule always add up to. */
export const TOTAL_WEIGHT = 100;

/** The most target groups that ELBv2 allows in one forward action (API_ForwardActionConfig). */
export const MAX_TARGET_GROUPS = 5;

/** Splits a total evenly over groups; where it does not divide, the larger shares go to the last by name. */
export function split(total: number, groups: readonly TargetGroup[]): readonly WeightedTargetGroup[] {
  const base = Math.floor(total / groups.length);
  const smaller = groups.length - (total - base * groups.length);
  return groups.toSorted(byName).map((group, index) => ({
    name: group.name,
    arn: group.arn,
    weight: index < smaller ? base : base + 1,
  }));
}

/** Gives the canary side a weight and the stable side the rest; both stay in the rule, at 0 if need be. */
export function shares(
  stable: readonly TargetGroup[],
  canary: readonly TargetGroup[],
  canaryWeight: number,
): readonly WeightedTargetGroup[] {
  return [...split(TOTAL_WEIGHT - canaryWeight, stable), ...split(canaryWeight, canary)].toSorted(byName);
}

/** Gives everything to one side and keeps the others in the rule at 0, so that going back is one write. */
export function everythingTo(
  serving: readonly TargetGroup[],
  keeping: readonly TargetGroup[],
): readonly WeightedTargetGroup[] {
  const kept = keeping.filter((group) => !includes(serving, group));
  return [...split(TOTAL_WEIGHT, serving), ...kept.map((group) => atZero(group))].toSorted(byName);
}

/** The others, where a rule has room for all of them beside these groups; otherwise none. */
export const whereAllFit = <T extends TargetGroup>(
  groups: readonly TargetGroup[],
  others: readonly T[],
): readonly T[] => (groups.length + others.length > MAX_TARGET_GROUPS ? [] : others);

/** These groups, and what carries traffic beside them: all that stays in a rule while one of them joins it. */
export const withCarriers = (
  groups: readonly TargetGroup[],
  served: readonly WeightedTargetGroup[],
): readonly TargetGroup[] => [...groups, ...served.filter((one) => one.weight > 0 && !includes(groups, one))];

/** The weight that these groups carry together in what is served. */
export function weightOf(groups: readonly TargetGroup[], served: readonly WeightedTargetGroup[]): number {
  return served.filter((one) => includes(groups, one)).reduce((sum, one) => sum + one.weight, 0);
}

/** Whether a group is among others, by ARN: the name of an object may change, the ARN is what ELBv2 knows. */
export const includes = (groups: readonly TargetGroup[], group: TargetGroup): boolean =>
  groups.some((one) => one.arn === group.arn);

/** Whether two forward lists send the same traffic to the same groups, in whatever order. */
export function sameShares(a: readonly WeightedTargetGroup[], b: readonly WeightedTargetGroup[]): boolean {
  return (
    a.length === b.length &&
    a.every((one) => b.some((other) => other.arn === one.arn && other.weight === one.weight))
  );
}

/** The groups that would get more weight than they have. */
export function gaining(
  next: readonly WeightedTargetGroup[],
  served: readonly WeightedTargetGroup[],
): readonly WeightedTargetGroup[] {
  return next.filter((one) => one.weight > (served.find((old) => old.arn === one.arn)?.weight ?? 0));
}

/** Spreads the total in proportion to the weights, at least 1 for each that carries traffic, the rest by largest remainders; may be empty. */
export function normalise(groups: readonly WeightedTargetGroup[]): readonly WeightedTargetGroup[] {
  const sum = groups.reduce((total, group) => total + group.weight, 0);
  if (sum === 0) return [];
  const parts = groups.toSorted(byName).map((group) => {
    const exact = (group.weight * TOTAL_WEIGHT) / sum;
    const weight = group.weight === 0 ? 0 : Math.max(1, Math.floor(exact));
    return { group, weight, rest: exact - weight };
  });
  for (let left = TOTAL_WEIGHT - totalOf(parts); left !== 0; left -= Math.sign(left)) {
    const carrying = parts.filter((part) => part.weight > (left > 0 ? 0 : 1));
    const next = carrying.reduce((best, part) =>
      Math.sign(left) * (part.rest - best.rest) > 0 ? part : best,
    );
    next.weight += Math.sign(left);
    next.rest -= Math.sign(left);
  }
  return parts.map(({ group, weight }) => ({ name: group.name, arn: group.arn, weight }));
}

const totalOf = (parts: readonly { readonly weight: number }[]): number =>
  parts.reduce((sum, part) => sum + part.weight, 0);

const atZero = (group: TargetGroup): WeightedTargetGroup => ({ name: group.name, arn: group.arn, weight: 0 });
