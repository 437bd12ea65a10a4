import semver from 'semver';
import { compareText } from '../kubernetes/canonical.ts';
import type { SelectedTargetGroup, TargetGroup } from '../model/target-group.ts';

/** The target groups that claim one version, in the order of their names. */
export interface VersionSet {
  /** The version as semver writes it, without a leading `v`. */
  readonly version: string;
  readonly groups: readonly TargetGroup[];
}

/** An AWSTargetGroup that a Cell selects but cannot use, and why. */
export interface RejectedTargetGroup {
  readonly name: string;
  readonly reason: 'DuplicateARN' | 'InvalidVersion' | 'MissingVersion' | 'NotAllowed';
  readonly message: string;
}

// So many digits that no number overflows. crds/cell.ts holds spec.version to the same, by a pattern.
const NUMBERS = /^v?(\d{1,15})(?:\.(\d{1,15}))?(?:\.(\d{1,15}))?(?=[-+]|$)/;

// A date, or a version without dots: 2024-2-1 would be a pre-release of 2024 that is newer than 2024-10-1.
const DASHED = /^v?\d+-\d/;

// A label has 63 characters, to which numbers that are left out are added; a tag may be longer. crds/cell-status.ts takes as many.
const LONGEST_VERSION = 67;

/** Reads one to three numbers, with a `v` or suffixes, as semver (https://semver.org): `v2` is 2.0.0; undefined for others, as `2024-10-1`. */
export function parseVersion(text: string): string | undefined {
  const trimmed = text.trim();
  const found = DASHED.test(trimmed) ? null : NUMBERS.exec(trimmed);
  if (found === null) return undefined;
  const [numbers, major, minor = '0', patch = '0'] = found;
  const version = `${major}.${minor}.${patch}${trimmed.slice(numbers.length)}`;
  return semver.valid(version) === null || version.length > LONGEST_VERSION ? undefined : version;
}

/** Whether two texts are one version, however each is written. */
export const isSameVersion = (a: string, b: string): boolean =>
  (parseVersion(a) ?? a) === (parseVersion(b) ?? b);

/** Orders versions by semver precedence, then build metadata; what is no version is the lowest. */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [parseVersion(a), parseVersion(b)];
  if (one === undefined || other === undefined)
    return Number(one !== undefined) - Number(other !== undefined);
  const [left, right] = [new semver.SemVer(one), new semver.SemVer(other)];
  const isRelease = ({ prerelease }: semver.SemVer): number => Number(prerelease.length === 0);
  return (
    left.compareMain(right) ||
    isRelease(left) - isRelease(right) ||
    compareIdentifiers(left.prerelease, right.prerelease) ||
    compareIdentifiers(left.build, right.build)
  );
}

type Identifiers = readonly (string | number)[];

/** Orders identifiers one by one. The library takes numbers above 2^53 for equal, such as 20261124022206123 and 20261124022206124. */
function compareIdentifiers(a: Identifiers, b: Identifiers): number {
  const orders = a.slice(0, b.length).map((one, at) => compareIdentifier(String(one), String(b[at])));
  return orders.find((order) => order !== 0) ?? a.length - b.length;
}

function compareIdentifier(a: string, b: string): number {
  const [isNumber, isOther] = [a, b].map((text) => /^\d+$/.test(text));
  if (isNumber !== isOther) return isNumber === true ? -1 : 1;
  // Numbers of build metadata may have leading zeros.
  return (
    (isNumber === true ? Number(BigInt(a) > BigInt(b)) - Number(BigInt(a) < BigInt(b)) : 0) ||
    compareText(a, b)
  );
}

/** Whether version `a` is newer than version `b`. */
export const isNewer = (a: string, b: string): boolean => compareVersions(a, b) > 0;

// One observation is asked for its versions by many a decision, and its status.
const known = new WeakMap<readonly SelectedTargetGroup[], ReturnType<typeof group>>();

/** Gathers target groups by version; each ARN counts once, by the first AWSTargetGroup by name. */
export function groupByVersion(selected: readonly SelectedTargetGroup[]) {
  const found = known.get(selected) ?? group(selected);
  known.set(selected, found);
  return found;
}

function group(selected: readonly SelectedTargetGroup[]): {
  /** The newest version first. */
  readonly sets: readonly VersionSet[];
  readonly rejected: readonly RejectedTargetGroup[];
} {
  const sets = new Map<string, TargetGroup[]>();
  const holders = new Map<string, Holder>();
  const rejected: RejectedTargetGroup[] = [];
  for (const one of selected.toSorted(byName)) {
    const { name, arn } = one;
    const version = one.version === undefined ? undefined : parseVersion(one.version);
    const holder = holders.get(arn);
    if (one.refusal !== undefined) rejected.push({ name, reason: 'NotAllowed', message: one.refusal });
    else if (version === undefined) rejected.push(reject(one));
    else if (holder !== undefined) rejected.push(duplicate({ name, arn, version }, holder));
    else {
      holders.set(arn, { name, version });
      sets.set(version, [...(sets.get(version) ?? []), { name, arn }]);
    }
  }
  const newestFirst = [...sets].toSorted(([a], [b]) => compareVersions(b, a));
  return { sets: newestFirst.map(([version, groups]) => ({ version, groups })), rejected };
}

interface Holder {
  readonly name: string;
  readonly version: string;
}

/** Orders target groups by name, byte by byte, the same on every machine. */
export const byName = (a: { readonly name: string }, b: { readonly name: string }): number =>
  compareText(a.name, b.name);

function reject({ name, version }: SelectedTargetGroup): RejectedTargetGroup {
  if (version === undefined || version === '') {
    return {
      name,
      reason: 'MissingVersion',
      message: `AWSTargetGroup ${name} has no version. Label it, for example okra.mumo.co/version=1.2.3, or tag its target group in AWS.`,
    };
  }
  return {
    name,
    reason: 'InvalidVersion',
    message: `Invalid version ${JSON.stringify(version)} of AWSTargetGroup ${name}: must be a semantic version such as 1.2.3, v2 or 1.4-rc.1, of at most 63 characters. ${DASHED.test(version) ? 'Put dots between numbers, such as 2024.10.1: correct' : 'Correct'} its label, or the tag of its target group in AWS.`,
  };
}

function duplicate(
  { name, arn, version }: Holder & { readonly arn: string },
  holder: Holder,
): RejectedTargetGroup {
  const message =
    version === holder.version
      ? `Target group ${arn} is in two selected AWSTargetGroups: ${holder.name}, which is used, and ${name}.`
      : `Target group ${arn} has two versions: ${holder.version} in AWSTargetGroup ${holder.name}, which is used, and ${version} in ${name}.`;
  return {
    name,
    reason: 'DuplicateARN',
    message: `${message} Delete one of the two, or correct its spec.arn.`,
  };
}
