import type { CellStatus } from '../../crds/cell.ts';
import type {
  ObservedApplication,
  ObservedApplications,
  ObservedRevision,
  Resolved,
  ResolvedCluster,
} from './observation.ts';
import type { Facts } from './resolve.ts';
import { revisionsInUse } from './revisions.ts';
import { lastGood } from './situation.ts';
import { markOf } from './state.ts';

/**
 * What of a look its workflow goes by. A history keeps every look, and Temporal takes 2 MB of one: so it has the revisions
 * that are in use, and of CAs what tells one from another.
 */
export function recorded(observed: ObservedApplications, digest: Facts['digest']): ObservedApplications {
  const told = <T extends Pick<ResolvedCluster, 'certificateAuthority'>>(one: T): T => ({
    ...one,
    certificateAuthority: digest(one.certificateAuthority),
  });
  const content = (value: Resolved): Resolved => ({ ...value, clusters: value.clusters.map(told) });
  const { cell, clusters, secrets, applications } = observed;
  return {
    ...observed,
    clusters: clusters.map((one) => (one.found === undefined ? one : { ...one, found: told(one.found) })),
    secrets: secrets.map(told),
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
