import type { RevisionData } from '../../crds/application-revision.ts';
import { isSameVersion } from '../versions/version.ts';
import type { ObservedRevision } from './observation.ts';

/** A revision of an application, as it is read from its ControllerRevision. */
export interface KeptRevision {
  readonly number: number;
  readonly isGood: boolean;
  readonly data: RevisionData | undefined;
}

/** The revisions of an application, newest first; what is none is left out. */
export const observedRevisions = (kept: readonly KeptRevision[]): readonly ObservedRevision[] =>
  kept
    .flatMap(({ number, isGood, data }) =>
      data === undefined || number < 1 ? [] : [{ number, isGood, ...data }],
    )
    .toSorted((a, b) => b.number - a.number);

/**
 * The revisions that a Cell may serve which is at a version, of all, newest first: those that differ in no target group have
 * the same one, and serve the same. Two of them, as the newest may be the one that is only being brought about.
 */
export const servedBy = <T extends Pick<ObservedRevision, 'version'>>(
  revisions: readonly T[],
  stableVersion = '',
): readonly T[] => revisions.filter(({ version }) => isSameVersion(version, stableVersion)).slice(0, 2);

const MOST_KEPT = 10;

/** The revisions that are too old to be kept: the last ten and the last good one always are, and those that are named. */
export function outdatedRevisions(
  revisions: readonly Pick<ObservedRevision, 'number' | 'isGood'>[],
  named: readonly number[],
): readonly number[] {
  const newest = revisions.toSorted((a, b) => b.number - a.number);
  const good = newest.find(({ isGood }) => isGood)?.number;
  return newest
    .slice(MOST_KEPT)
    .map(({ number }) => number)
    .filter((number) => number !== good && !named.includes(number));
}
