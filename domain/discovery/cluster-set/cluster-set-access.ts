import type { Generator } from '../../../crds/cluster-set.ts';
import { mayUse, refusalOf, type Access } from '../../access/access.ts';
import type { Reading, SourcedCluster, UnreadCluster } from './cluster-set.ts';
import { providerOf } from './provider.ts';
import { selectedOf } from './selection.ts';
import type { Problem } from '../sync-status.ts';

/** Says why a generator may not be read; undefined when it may. */
export function generatorRefusal(generator: Generator, access: Access | undefined): string | undefined {
  const { roleARN: arn, externalID } = providerOf(generator).settings;
  return arn === undefined ? undefined : refusalOf(access, { of: 'Role', arn, externalID });
}

/**
 * Leaves out the clusters that a namespace may not use, without a word of which they are. One that has a secret already counts as
 * waiting, so that its secret stays as it is. Only those that a generator selects are a problem: an account has others.
 */
export function allowedClusters(
  generators: readonly Generator[],
  readings: readonly Reading[],
  { access, known }: { readonly access: Access | undefined; readonly known: readonly string[] },
): { readonly readings: readonly Reading[]; readonly problems: readonly Problem[] } {
  const refused = generators.map((generator, index) =>
    selectedOf(generator, readings[index]?.clusters ?? []).filter((cluster) => !isAllowed(cluster, access)),
  );
  const problems = refused.flatMap((some, index) =>
    some.length === 0 ? [] : [problemOf(some, index, access)],
  );
  const kept = readings.map((reading) => ({
    ...reading,
    clusters: reading.clusters.flatMap((cluster) => {
      if (isAllowed(cluster, access)) return [cluster];
      return known.includes(cluster.id)
        ? [{ ...cluster, state: 'Waiting' as const, said: 'not allowed' }]
        : [];
    }),
    unread: unreadFor(access, reading.unread),
  }));
  return { readings: kept, problems };
}

/** Leaves out what the namespace may not use anyway, unless a secret is kept by it. */
const unreadFor = (access: Access | undefined, unread: readonly UnreadCluster[]): readonly UnreadCluster[] =>
  access === undefined
    ? unread
    : unread
        .filter(({ ids, named }) => ids.length > 0 || mayUse(access, { of: 'NamedCluster', ...named }))
        .map(nameless);

/** A cluster that has no secret in the namespace, and that may be someone else's, is not named. */
const nameless = ({ ids, named, problem }: UnreadCluster): UnreadCluster => {
  const message = 'Expected EKS to describe each cluster that it lists, got some that it did not describe.';
  return { ids, named, problem: ids.length > 0 ? problem : { reason: problem.reason, message } };
};

const isAllowed = ({ id }: SourcedCluster, access: Access | undefined): boolean =>
  mayUse(access, { of: 'Cluster', arn: id });

function problemOf(some: readonly SourcedCluster[], index: number, access: Access | undefined): Problem {
  const { namespace = '', policies = [] } = access ?? {};
  const message = `Expected an AccessPolicy to let namespace ${namespace} use all EKS clusters that spec.generators[${index}] selects, got ${policies.join(', ')} without ${some.length} of them. Select fewer, or have them added to spec.clusters. Secrets that there are stay.`;
  return { object: `spec.generators[${index}]`, reason: 'NotAllowed', message };
}
