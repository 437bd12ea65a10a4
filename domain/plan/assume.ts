import semver from 'semver';
import type { ObservedCell } from '../model/observation.ts';
import type { SelectedTargetGroup } from '../model/target-group.ts';
import { compareVersions, groupByVersion, parseVersion } from '../versions/version.ts';

/** The version of a Cell that has none yet. */
const FIRST_VERSION = '1.0.0';

/** The version that a next one is assumed to have: the first, or one after all that there are. */
export function nextVersion({ selected, cell }: ObservedCell): string {
  const { stableVersion, blockedVersions = [] } = cell?.status ?? {};
  const pinned = cell?.spec.version;
  if (pinned !== undefined) return parseVersion(pinned) ?? pinned;
  const known = [
    ...groupByVersion(selected).sets.map(({ version }) => version),
    ...blockedVersions.map(({ version }) => version),
    ...(stableVersion === undefined ? [] : [stableVersion]),
  ].filter((version) => parseVersion(version) !== undefined);
  const highest = known.toSorted(compareVersions).at(-1);
  return highest === undefined ? FIRST_VERSION : (semver.inc(highest, 'patch') ?? FIRST_VERSION);
}

/** Adds as many target groups of a version as the Cell waits for. */
export function withVersion(observed: ObservedCell, version: string): ObservedCell {
  const count = observed.cell?.spec.replicas ?? 1;
  const { sets } = groupByVersion(observed.selected);
  const there = sets.find((set) => set.version === parseVersion(version))?.groups.length ?? 0;
  const added = Array.from({ length: Math.max(0, count - there) }, (_, at): SelectedTargetGroup => {
    const name = `${observed.key.name}-${version}-${there + at + 1}`;
    return { name, arn: `assumed:targetgroup/${name}`, version };
  });
  return { ...observed, selected: [...observed.selected, ...added] };
}
