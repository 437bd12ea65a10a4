import type { Problem } from '../sync-status.ts';
import {
  type ClusterReading,
  type ExistingGroup,
  BINDING_APIS,
  type ObservedTargetGroupSet,
  type BindingAPI,
} from './observed-target-group-set.ts';
import { isRendered, parseSource, type AskedGroup, formatSource } from './target-group-of-binding.ts';
import { takesBindings } from './looks-into.ts';

/** Says what the readings of a set leave open; `unrendered` are the secrets of clusters whose template could not be filled in. */
export function findUnreadSources(
  readings: readonly ClusterReading[],
  {
    unrendered,
    lost,
  }: { readonly unrendered: readonly string[]; readonly lost: ReturnType<typeof lostKindsIn> },
) {
  const unread = new Set([
    ...readings.flatMap(({ cluster, found }) => (found.ok ? [] : [cluster.secret])),
    ...unrendered,
  ]);
  const limited = new Map(
    readings.flatMap(({ cluster, found }) =>
      found.ok && found.namespaces !== undefined && found.namespaces.length > 0
        ? [[cluster.secret, { cluster: cluster.name, namespaces: found.namespaces }] as const]
        : [],
    ),
  );
  const closedTo = (group: ExistingGroup) => {
    const from = parseSource(group);
    const limit = limited.get(from?.secret ?? '');
    if (from === undefined || limit === undefined || isRendered(group)) return undefined;
    return limit.namespaces.includes(from.namespace) ? undefined : { ...limit, namespace: from.namespace };
  };
  return {
    /** Whether a group may still have what it was made of, in a place that could not be looked at. */
    mayHide(group: ExistingGroup): boolean {
      const from = parseSource(group);
      // One that has lost where it is from may be of any cluster.
      if (from === undefined) return unread.size > 0 || lost.problems.length > 0;
      return unread.has(from.secret) || lost.isLost(group) || closedTo(group) !== undefined;
    },
    problemsOf: (groups: readonly ExistingGroup[]): readonly Problem[] =>
      groups.flatMap((group) => {
        const closed = closedTo(group);
        return closed === undefined ? [] : [notAllowed(group.name, closed)];
      }),
  };
}

const notAllowed = (
  object: string,
  of: { readonly cluster: string; readonly namespace: string; readonly namespaces: readonly string[] },
): Problem => ({
  cluster: of.cluster,
  object,
  reason: 'NamespaceNotAllowed',
  message: `AWSTargetGroup ${object} comes from namespace ${of.namespace}, which the secret of cluster ${of.cluster} does not allow (it allows ${of.namespaces.slice(0, 10).join(', ')}). It is kept as it is; add the namespace to the secret, or delete the AWSTargetGroup.`,
});

/** Finds the groups of a kind which their cluster has lost, unless the other kind says the same. */
export function lostKindsIn(
  { spec, readings }: Pick<ObservedTargetGroupSet, 'spec' | 'readings'>,
  own: readonly ExistingGroup[],
  asking: readonly AskedGroup[],
): { readonly isLost: (group: ExistingGroup) => boolean; readonly problems: readonly Problem[] } {
  const absent = new Map(
    readings.map(({ cluster, found }) => [cluster.secret, found.ok ? (found.absent ?? []) : []]),
  );
  const asked = new Set(asking.map(({ source, arn }) => `${source} ${arn}`));
  const isLost = (group: ExistingGroup): boolean => {
    const from = parseSource(group);
    if (from === undefined || isRendered(group) || absent.get(from.secret)?.includes(from.api) !== true)
      return false;
    const twins = BINDING_APIS.map((api) => formatSource({ secret: from.secret }, { ...from, api }));
    return !twins.some((source) => asked.has(`${source} ${group.arn}`));
  };
  const lost = own.filter(isLost).flatMap((group) => parseSource(group) ?? []);
  const lostKinds = readings.flatMap(({ cluster }) =>
    (absent.get(cluster.secret) ?? [])
      .filter((api) => lost.some((from) => from.secret === cluster.secret && from.api === api))
      .map((api) => ({ secret: cluster.secret, cluster: cluster.name, api })),
  );
  const bare = readings.filter(
    ({ cluster, found }) =>
      found.ok &&
      BINDING_APIS.every((api) => found.absent?.includes(api)) &&
      takesBindings(spec, cluster) &&
      !lostKinds.some(({ secret }) => secret === cluster.secret),
  );
  return {
    isLost,
    problems: [
      ...lostKinds.map(({ cluster, api }) => notInstalled(cluster, api)),
      ...bare.map(({ cluster }) => neitherInstalled(cluster.name)),
    ],
  };
}

const KINDS: Readonly<Record<BindingAPI, string>> = {
  'elbv2.k8s.aws': 'the AWS Load Balancer Controller (elbv2.k8s.aws/v1beta1)',
  'eks.amazonaws.com': 'EKS Auto Mode (eks.amazonaws.com/v1)',
};

const notInstalled = (cluster: string, api: BindingAPI): Problem => ({
  cluster,
  reason: 'KindNotInstalled',
  message: `Cluster ${cluster} no longer has the CRD TargetGroupBinding of ${KINDS[api]}. Install it again; the AWSTargetGroups created from it are kept until you delete them.`,
});

const neitherInstalled = (cluster: string): Problem => ({
  cluster,
  reason: 'KindNotInstalled',
  message: `Cluster ${cluster} has the CRD TargetGroupBinding neither of ${KINDS['elbv2.k8s.aws']} nor of ${KINDS['eks.amazonaws.com']}, so it has no target groups. Install one of them there, or select other clusters.`,
});
