import type { PresentCell } from './candidate.ts';
import type { ObservedCell } from '../model/observation.ts';
import type { SelectedTargetGroup, WeightedTargetGroup, TargetGroup } from '../model/target-group.ts';
import { compareVersions, groupByVersion, type VersionSet } from './version.ts';
import { includes, weightOf } from '../load-balancers/weights.ts';

/** The version of a group in the rule: what its AWSTargetGroup claims, else what the Cell's status remembers. */
function versionOf(group: TargetGroup, observed: ObservedCell, cell: PresentCell): string | undefined {
  const { sets } = groupByVersion(observed.selected);
  const claimed = sets.find((set) => includes(set.groups, group))?.version;
  return claimed ?? cell.status.targetGroups?.find((one) => one.arn === group.arn)?.version;
}

/** The set that serves at rest: the version that the status names, if it carries traffic, else the one with most; undefined without traffic. */
export function stableSet(observed: ObservedCell, cell: PresentCell): VersionSet | undefined {
  const carrying = observed.weighted
    .filter(({ weight }) => weight > 0)
    .map((group) => ({ group, version: versionOf(group, observed, cell) ?? UNKNOWN_VERSION }));
  const remembered = cell.status.stableVersion;
  const keepsRemembered = carrying.some((one) => one.version === remembered);
  const version = keepsRemembered && remembered !== undefined ? remembered : heaviest(carrying);
  if (version === undefined) return undefined;
  const members = carrying.filter((one) => one.version === version);
  return { version, groups: members.map(({ group }) => ({ name: group.name, arn: group.arn })) };
}

/** The groups of a set whose AWSTargetGroups still claim its version; nobody can withdraw what no AWSTargetGroup named. */
export function presentOf(
  { version, groups }: VersionSet,
  selected: readonly SelectedTargetGroup[],
): readonly TargetGroup[] {
  if (version === UNKNOWN_VERSION) return groups;
  const claiming = groupByVersion(selected).sets.find((set) => set.version === version)?.groups ?? [];
  return groups.filter((group) => includes(claiming, group));
}

/** What is left of a set that serves: groups that claim its version, else those in the rule that claim none, or another while they carry traffic: a label edit takes nothing. */
export function leftOf(
  set: VersionSet,
  { selected, weighted }: Pick<ObservedCell, 'selected' | 'weighted'>,
): readonly TargetGroup[] {
  const present = presentOf(set, selected);
  if (present.length > 0) return present;
  const claiming = groupByVersion(selected).sets.flatMap(({ groups }) => groups);
  return set.groups.filter((group) => {
    const served = weighted.find(({ arn }) => arn === group.arn);
    return (
      served !== undefined && includes(selected, group) && (served.weight > 0 || !includes(claiming, group))
    );
  });
}

/** Whether a set carries no traffic, and no AWSTargetGroup names any of its groups any more. */
export const isGone = (
  { version, groups }: VersionSet,
  { selected, weighted }: Pick<ObservedCell, 'selected' | 'weighted'>,
): boolean =>
  version !== UNKNOWN_VERSION &&
  weightOf(groups, weighted) === 0 &&
  !groups.some((group) => includes(selected, group));

/** What carries traffic besides a set, by version, the heaviest first. */
export function carriersBeside(
  set: VersionSet,
  observed: ObservedCell,
  cell: PresentCell,
): readonly VersionSet[] {
  const others = observed.weighted.filter((group) => group.weight > 0 && !includes(set.groups, group));
  const byVersion = Map.groupBy(others, (group) => versionOf(group, observed, cell) ?? UNKNOWN_VERSION);
  const weight = (groups: readonly WeightedTargetGroup[]): number =>
    groups.reduce((sum, group) => sum + group.weight, 0);
  return [...byVersion]
    .toSorted(([a, x], [b, y]) => weight(y) - weight(x) || compareVersions(b, a))
    .map(([version, groups]) => ({ version, groups: groups.map(({ name, arn }) => ({ name, arn })) }));
}

/** What stands for the version of a group of which nobody knows it; it is older than every other. */
export const UNKNOWN_VERSION = '0.0.0-unknown';

function heaviest(
  carrying: readonly { readonly version: string; readonly group: WeightedTargetGroup }[],
): string | undefined {
  const weights = new Map<string, number>();
  for (const { version, group } of carrying) weights.set(version, (weights.get(version) ?? 0) + group.weight);
  const order = [...weights].toSorted(([a, x], [b, y]) => y - x || compareVersions(b, a));
  return order[0]?.[0];
}
