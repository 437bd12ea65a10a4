import semver from 'semver';
import { compareText } from './canonical.ts';
import type { SelectedTargetGroup, TargetGroup } from './observation.ts';

/** The target groups that claim one version, in the order of their names. */
export interface VersionSet {
  /** The version as semver writes it, without a leading `v`. */
  readonly version: string;
  readonly groups: readonly TargetGroup[];
}

/** An AWSTargetGroup that a Cell selects but cannot use, and why. */
export interface RejectedTargetGroup {
  readonly name: string;
  readonly reason: 'InvalidVersion' | 'MissingVersion';
  readonly message: string;
}

/** Reads a version with or without a leading `v`; undefined when it is not semver (https://semver.org). */
export function parseVersion(text: string): string | undefined {
  return semver.valid(text.trim().replace(/^v/, '')) ?? undefined;
}

/** Orders versions by semver precedence: negative when `a` is lower. */
export const compareVersions = (a: string, b: string): number => semver.compareBuild(a, b);

/** Whether version `a` is newer than version `b`. */
export const isNewer = (a: string, b: string): boolean => compareVersions(a, b) > 0;

/** Gathers target groups by version, the newest version first; those without a usable version are set apart. */
export function groupByVersion(selected: readonly SelectedTargetGroup[]): {
  readonly sets: readonly VersionSet[];
  readonly rejected: readonly RejectedTargetGroup[];
} {
  const sets = new Map<string, TargetGroup[]>();
  const rejected: RejectedTargetGroup[] = [];
  for (const group of selected.toSorted(byName)) {
    const version = group.version === undefined ? undefined : parseVersion(group.version);
    if (version === undefined) rejected.push(reject(group));
    else sets.set(version, [...(sets.get(version) ?? []), { name: group.name, arn: group.arn }]);
  }
  const newestFirst = [...sets].toSorted(([a], [b]) => compareVersions(b, a));
  return { sets: newestFirst.map(([version, groups]) => ({ version, groups })), rejected };
}

/** Orders target groups by name, byte by byte, the same on every machine. */
export const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  compareText(a.name, b.name);

function reject(group: SelectedTargetGroup): RejectedTargetGroup {
  const { name, version } = group;
  if (version === undefined || version === '') {
    return {
      name,
      reason: 'MissingVersion',
      message: `Expected AWSTargetGroup ${name} to have a version label, got none. Label it, for example okra.mumo.co/version=1.2.3.`,
    };
  }
  return {
    name,
    reason: 'InvalidVersion',
    message: `Expected the version label of AWSTargetGroup ${name} to be a semantic version such as 1.2.3, got ${JSON.stringify(version)}. Correct the label.`,
  };
}
