import { given } from '../model/fields.ts';
import type { Access } from '../access/access.ts';
import { canonical, compareText } from '../kubernetes/canonical.ts';
import { refusedAmong } from '../access/forwarding-access.ts';
import { ADOPT_ANNOTATION } from '../kubernetes/labels.ts';
import { matches } from '../kubernetes/selector.ts';
import { namedARN, type SelectedTargetGroup, type TargetGroup } from '../model/target-group.ts';
import { selectorOf, versionOf, type SelectingSpec, type VersionedGroup } from './version-label.ts';

/** What of a Cell a rollout depends on, exactly as the API server returned it. */
export interface WatchedCell {
  readonly metadata: {
    readonly deletionTimestamp?: string | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
  readonly spec: SelectingSpec;
  readonly status?:
    { readonly blockedVersions?: readonly { readonly version: string }[] | undefined } | undefined;
}

/** What of an AWSTargetGroup a rollout depends on. */
export interface WatchedGroup extends VersionedGroup {
  readonly metadata: VersionedGroup['metadata'] & {
    readonly name: string;
    readonly deletionTimestamp?: string | undefined;
  };
  readonly spec: { readonly arn: string };
}

/** The target groups that a Cell selects, by name; those being deleted are gone already, as are those that name no ARN. */
export function selectTargetGroups(
  spec: SelectingSpec,
  groups: readonly WatchedGroup[],
): readonly SelectedTargetGroup[] {
  const selector = selectorOf(spec);
  return groups
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined && matches(selector, metadata.labels))
    .flatMap((group) => select(spec, group))
    .toSorted((a, b) => compareText(a.name, b.name));
}

/** Reads AWSTargetGroups; one that names no ARN stands for what is served under its name. */
export function readAsServed<Group extends WatchedGroup>(
  groups: readonly Group[],
  served: readonly TargetGroup[],
): readonly Group[] {
  const named = new Set(groups.map(namedARN));
  return groups.map((group) => {
    const found = served.find(({ name }) => name === group.metadata.name);
    const isLost = namedARN(group) === undefined && found !== undefined && !named.has(found.arn);
    return isLost ? { ...group, spec: { arn: found.arn } } : group;
  });
}

/** Whether a Cell takes a target group otherwise than before; one version: it has come or gone. */
export function isTakenOtherwise(spec: SelectingSpec, versions: readonly WatchedGroup[]): boolean {
  const taken = new Set(versions.map((group) => canonical(selectTargetGroups(spec, [group]))));
  return versions.length === 1 || taken.size > 1;
}

/** All that a rollout of the Cell depends on, in one text that watchers and workers compare; objects as the API server returned them. */
export function watchedInput(cell: WatchedCell, groups: readonly WatchedGroup[], access?: Access): string {
  const selected = selectTargetGroups(cell.spec, groups);
  return watchedOf(cell, selected, refusedAmong(selected, access));
}

/** The same of the target groups that a Cell selects, and the ARNs of those that it may not use. */
export const watchedOf = (
  cell: WatchedCell,
  selected: readonly SelectedTargetGroup[],
  refused: readonly string[],
): string =>
  canonical([
    cell.spec,
    (cell.status?.blockedVersions ?? []).map(({ version }) => version).toSorted(compareText),
    cell.metadata.deletionTimestamp !== undefined,
    selected.map(({ name, arn, version }) => [name, arn, version ?? null]),
    mayAdopt(cell.metadata),
    ...(refused.length === 0 ? [] : [refused]),
  ]);

/** Whether an object says that it may take over what Okra did not set up. */
export const mayAdopt = ({
  annotations,
}: {
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}): boolean => annotations?.[ADOPT_ANNOTATION] === 'true';

function select(spec: SelectingSpec, group: WatchedGroup): readonly SelectedTargetGroup[] {
  const [arn, version] = [namedARN(group), versionOf(spec, group)];
  if (arn === undefined) return [];
  return [{ name: group.metadata.name, arn, ...given({ version }) }];
}
