import { given } from '../model/fields.ts';
import type { MissingTargetGroups } from '../model/decision.ts';
import type { ObservedCell } from '../model/observation.ts';
import type { BlockedVersion } from '../model/state.ts';
import { groupByVersion, isNewer, isSameVersion, parseVersion, type VersionSet } from './version.ts';

/** The Cell of an observation in which there is one. */
export type PresentCell = NonNullable<ObservedCell['cell']>;

/** What could serve next, and what else is worth telling. */
export interface Candidates {
  /** The set that should serve; undefined when no version has enough target groups. */
  readonly target?: VersionSet;
  readonly missing?: MissingTargetGroups;
  readonly blocked?: BlockedVersion;
  readonly sets: readonly VersionSet[];
}

/** Chooses the version to serve: the pinned one, else the newest complete one that is not blocked. */
export function candidates(cell: PresentCell, observed: ObservedCell): Candidates {
  const { sets } = groupByVersion(observed.selected);
  const blocks = cell.status.blockedVersions ?? [];
  const isHeldBack = (version: string): boolean => isBlocked(version, cell);
  const held = sets.find((set) => isHeldBack(set.version));
  const blocked = held && blocks.find((one) => isSameVersion(one.version, held.version));
  const base = blocked === undefined ? { sets } : { sets, blocked };
  const wanted = cell.spec.replicas;

  if (cell.spec.version !== undefined) {
    const pinned = parseVersion(cell.spec.version) ?? cell.spec.version;
    const set = sets.find((one) => one.version === pinned);
    if (isHeldBack(pinned)) return base;
    const found = set?.groups.length ?? 0;
    return set !== undefined && found >= wanted
      ? { sets, target: set }
      : { sets, missing: { version: pinned, available: found, desired: wanted } };
  }
  const free = sets.filter((set) => !isHeldBack(set.version));
  const target = free.find((set) => set.groups.length >= wanted);
  const short = free.find((set) => set.groups.length < wanted);
  const missing =
    short !== undefined && (target === undefined || isNewer(short.version, target.version))
      ? { missing: { version: short.version, available: short.groups.length, desired: wanted } }
      : {};
  return { ...base, ...missing, ...given({ target }) };
}

/** Whether a version has failed and is not tried again before someone says so. */
export const isBlocked = (version: string, cell: PresentCell): boolean =>
  (cell.status.blockedVersions ?? []).some(
    (one) => isSameVersion(one.version, version) && !isLifted(one, cell),
  );

/** Whether a version is blocked no more, because someone has pinned the Cell to it after it had failed. */
export function isLifted(block: BlockedVersion, cell: PresentCell): boolean {
  return block.pinned !== true && isPinned(block.version, cell);
}

/** Whether spec.version names a version. */
export const isPinned = (version: string, { spec }: PresentCell): boolean =>
  spec.version !== undefined && isSameVersion(spec.version, version);
