import type { RevisionData } from '../../crds/application.ts';
import { isSameVersion } from '../versions/version.ts';
import type { ObservedChild, ObservedRevision } from './observation.ts';
import type { Mark } from './situation.ts';

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

/** The revisions that are in use, in their order: those that the status of an application names, and those that its Cell serves or is to serve. */
export function revisionsInUse<T extends Pick<ObservedRevision, 'number' | 'version'>>(
  revisions: readonly T[],
  mark: Pick<Mark, 'revision' | 'failed'> | undefined,
  child: Pick<ObservedChild, 'revision' | 'status'> | undefined,
): readonly T[] {
  const named = [mark?.revision, mark?.failed?.revision, child?.revision];
  const served = servedBy(revisions, child?.status.stableVersion);
  return revisions.filter((one) => named.includes(one.number) || served.includes(one));
}

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
