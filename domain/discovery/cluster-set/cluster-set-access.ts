import type { Generator } from '../../../crds/cluster-set.ts';
import { mayUse, refusalOf, type Access } from '../../access/access.ts';
import type { Reading, SourcedCluster, UnreadCluster } from './cluster-set.ts';
import { selectByTags } from './source-reading.ts';
import type { Problem } from '../sync-status.ts';

/** Says why a generator may not be read; undefined when it may. */
export const generatorRefusal = (
  { awseks: { roleARN: arn, externalID } }: Generator,
  access: Access | undefined,
): string | undefined => (arn === undefined ? undefined : refusalOf(access, { of: 'Role', arn, externalID }));

/** Those of some ids of clusters that a namespace may use; nobody asks EKS about the others. */
export const allowedIds = (ids: readonly string[], access: Access | undefined): readonly string[] =>
  ids.filter((id) => isAllowed({ id }, access));

/** Leaves out the clusters that a namespace may not use without naming them, and keeps its secret of one, so that none can be probed. */
export function allowedClusters(
  generators: readonly Generator[],
  readings: readonly Reading[],
  { access, known }: { readonly access: Access | undefined; readonly known: readonly string[] },
): { readonly readings: readonly Reading[]; readonly problems: readonly Problem[] } {
  const refused = generators.map((generator, index) =>
    selectByTags(generator, readings[index]?.clusters ?? []).filter((cluster) => !isAllowed(cluster, access)),
  );
  const problems = refused.flatMap((some, index) =>
    some.length === 0 ? [] : [problemOf(some, index, access)],
  );
  const withheld = known.filter((id) => !isAllowed({ id }, access));
  const kept = readings.map((reading, index) => ({
    ...reading,
    clusters: reading.clusters.filter((cluster) => isAllowed(cluster, access)),
    unread: [
      ...unreadFor(access, reading.unread),
      ...(index === 0 && withheld.length > 0 ? [unlooked(withheld, access)] : []),
    ],
  }));
  return { readings: kept, problems };
}

/** The clusters of secrets that there are, of which nobody looks whether they are there. */
function unlooked(ids: readonly string[], access: Access | undefined): UnreadCluster {
  const { namespace = '', policies = [] } = access ?? {};
  const message = `No AccessPolicy (${policies.join(', ')}) lets namespace ${namespace} use the EKS clusters of ${ids.length} Secrets of this ClusterSet; the Secrets are kept. Have the clusters added to spec.clusters, or delete the Secrets.`;
  return { ids, problem: { reason: 'NotAllowed', message } };
}

/** Leaves out what the namespace may not use anyway, unless a secret is kept by it. */
const unreadFor = (access: Access | undefined, unread: readonly UnreadCluster[]): readonly UnreadCluster[] =>
  access === undefined
    ? unread
    : unread
        .filter(
          ({ ids, named }) =>
            ids.length > 0 || named === undefined || mayUse(access, { of: 'NamedCluster', ...named }),
        )
        .map(nameless);

/** A cluster that has no secret in the namespace, and that may be someone else's, is not named. */
const nameless = (cluster: UnreadCluster): UnreadCluster => {
  const { ids, problem } = cluster;
  const message = 'EKS lists clusters that it did not describe.';
  return { ...cluster, problem: ids.length > 0 ? problem : { reason: problem.reason, message } };
};

const isAllowed = ({ id }: Pick<SourcedCluster, 'id'>, access: Access | undefined): boolean =>
  mayUse(access, { of: 'Cluster', arn: id });

function problemOf(some: readonly SourcedCluster[], index: number, access: Access | undefined): Problem {
  const { namespace = '', policies = [] } = access ?? {};
  const message = `No AccessPolicy (${policies.join(', ')}) lets namespace ${namespace} use ${some.length} of the EKS clusters that spec.generators[${index}] selects; existing Secrets are kept. Select fewer, or have them added to spec.clusters.`;
  return { object: `spec.generators[${index}]`, reason: 'NotAllowed', message };
}
