import { canonical } from '../kubernetes/canonical.ts';
import { isSameVersion } from '../versions/version.ts';
import type {
  ObservedChild,
  ObservedRevision,
  ObservedApplication,
  ObservedApplications,
  Resolved,
  ResolvedCluster,
} from './observation.ts';
import { type Mark, lastGood } from './situation.ts';
import type { Facts } from './resolve.ts';
import { markOf } from './state.ts';

/** The revisions that a Cell at a version may serve, newest first: two, as the newest may only be on its way. */
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

/** The revision that is made of what an application comes to, after all that there were. */
export function newRevision(
  { hash, value }: Extract<ObservedApplication['resolved'], { ok: true }>,
  revisions: readonly ObservedRevision[],
  mark: Pick<Mark, 'revision' | 'failed'> | undefined,
): ObservedRevision {
  const number = 1 + Math.max(0, revisions[0]?.number ?? 0, mark?.revision ?? 0, mark?.failed?.revision ?? 0);
  const good = lastGood(revisions);
  // Revisions with the same target groups serve the same.
  const isSame = good !== undefined && arnsOf(good.content) === arnsOf(value);
  return { number, hash, version: isSame ? good.version : String(number), isGood: false, content: value };
}

const arnsOf = ({ targetGroups }: Resolved): string => canonical(targetGroups.map(({ arn }) => arn));

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

/** Cuts a look down to what its workflow goes by: a history keeps every look, and Temporal takes 2 MB of one. */
export function recorded(observed: ObservedApplications, digest: Facts['digest']): ObservedApplications {
  const withDigest = <T extends Pick<ResolvedCluster, 'certificateAuthority'>>(one: T): T => ({
    ...one,
    certificateAuthority: digest(one.certificateAuthority),
  });
  const content = (value: Resolved): Resolved => ({ ...value, clusters: value.clusters.map(withDigest) });
  const { cell, clusters, secrets, applications } = observed;
  return {
    ...observed,
    clusters: clusters.map((one) =>
      one.found === undefined ? one : { ...one, found: withDigest(one.found) },
    ),
    secrets: secrets.map(withDigest),
    applications: applications.map((one) => {
      const { name, resolved, revisions: all, child } = one;
      const used = revisionsInUse(all, markOf(cell?.status, name), child);
      const revisions = all.filter((kept) => [all[0], lastGood(all), ...used].includes(kept));
      return {
        ...one,
        resolved: resolved.ok ? { ...resolved, value: content(resolved.value) } : resolved,
        revisions: revisions.map((kept) => ({ ...kept, content: content(kept.content) })),
      };
    }),
  };
}
