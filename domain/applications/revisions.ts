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
import type { CellStatus } from '../../crds/cell.ts';
import type { Facts } from './resolve.ts';
import { markOf } from './state.ts';

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

type Found = Pick<ObservedApplication, 'revisions'> & {
  readonly resolved: Extract<ObservedApplication['resolved'], { ok: true }>;
};

/** The revision that is made of what an application comes to, after all that there were. */
export function newRevision(
  { resolved: { hash, value }, revisions }: Found,
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

/**
 * What of a look its workflow goes by. A history keeps every look, and Temporal takes 2 MB of one: so it has the revisions
 * that are in use, and of CAs what tells one from another.
 */
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
    applications: applications.map((one) => ({
      ...one,
      resolved: one.resolved.ok ? { ...one.resolved, value: content(one.resolved.value) } : one.resolved,
      revisions: decisive(one, cell?.status).map((revision) => ({
        ...revision,
        content: content(revision.content),
      })),
    })),
  };
}

/** The revisions that something is decided by, in their order. */
function decisive(
  { name, revisions, child }: ObservedApplication,
  status: CellStatus | undefined,
): readonly ObservedRevision[] {
  const used = [revisions[0], lastGood(revisions), ...revisionsInUse(revisions, markOf(status, name), child)];
  return revisions.filter((one) => used.includes(one));
}
