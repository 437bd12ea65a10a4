import { given } from '../../model/fields.ts';
import type { BindingTarget } from '../../../crds/aws-target-group-binding.ts';
import { compareText } from '../../kubernetes/canonical.ts';
import type { IdsOfCluster, RegisteredTarget, Registration } from './registered-target.ts';
import { matches, type LabelSelector } from '../../kubernetes/selector.ts';
import type { SeenObject } from '../clusters/seen.ts';
import { targetLooksInto } from '../target-group-set/looks-into.ts';
import type { Problem } from '../sync-status.ts';

/** How a target group knows its targets. */
export type TargetType = 'instance' | 'ip';

interface FoundIds {
  readonly ids: readonly string[];
  readonly problems: readonly Problem[];
}

/** Nodes with this label are behind no load balancer (https://kubernetes.io/docs/reference/labels-annotations-taints/). */
const EXCLUDE_LABEL = 'node.kubernetes.io/exclude-from-external-load-balancers';

/** The id of the EC2 instance behind a node; undefined when it is none, such as a Fargate one. */
export const instanceIdOf = (providerID: string | undefined): string | undefined =>
  /^aws:\/\/\/[^/]+\/(i-[0-9a-f]+)$/.exec(providerID ?? '')?.[1];

const withoutId = (object: string, node: SeenObject, targetType: TargetType): Problem => ({
  object,
  reason: 'NodeWithoutId',
  message:
    targetType === 'ip'
      ? `Node ${node.name} has no address of type InternalIP. Wait until it has one, or exclude the node.`
      : `Invalid spec.providerID ${JSON.stringify(node.providerID ?? '')} of node ${node.name}: must name an EC2 instance, aws:///ZONE/i-…. Use a target group of type ip, or exclude the node.`,
});

const podsOfInstances = (object: string): Problem => ({
  object,
  reason: 'PodsNeedAddresses',
  message: `The pods of target ${object} need a target group of type ip, but its type is instance. Name another target group.`,
});

/** What was seen in a cluster, or why it could not be read. */
export interface SeenCluster {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** What of it was read, as `lookedAt` says; undefined: nothing could be. */
  readonly what?: string;
  readonly seen:
    | { readonly ok: true; readonly objects: readonly SeenObject[] }
    | { readonly ok: false; readonly reason: string; readonly message: string };
}

/** What of a cluster a target is found in: its nodes, or the pods of a namespace; each is read, and may fail, by itself. */
export const lookedAt = (target: BindingTarget, namespace: string): string =>
  target.podSelector === undefined ? 'nodes' : `pods/${target.podNamespace ?? namespace}`;

/** What ids are found in. */
export interface Observed {
  readonly namespace: string;
  readonly targetType: TargetType;
  readonly clusters: readonly SeenCluster[];
  readonly known: readonly RegisteredTarget[];
  readonly isOwn: (one: Registration) => boolean;
}

/** The ids of a target, and where they were found. */
export interface FoundTarget extends FoundIds {
  readonly clusters?: readonly string[];
  readonly byCluster?: readonly IdsOfCluster[];
  readonly unread: readonly string[];
}

/** Finds the ids of a target in what was seen; those of a cluster that could not be read stay as they were. */
export function findIds(target: BindingTarget, observed: Observed): FoundTarget {
  if (target.ids !== undefined) return { ids: target.ids, problems: [], unread: [] };
  const { name, clusterName, clusterSelector } = target;
  const what = lookedAt(target, observed.namespace);
  const clusters = observed.clusters
    .filter((cluster) => cluster.what === undefined || cluster.what === what)
    .filter((cluster) => targetLooksInto(target, cluster))
    .toSorted((a, b) => compareText(a.name, b.name));
  // With another port as well: what a cluster had that cannot be read now is registered with the new one.
  const before = observed.known.filter((one) => one.name === name);
  const isOwn = (id: string): boolean => observed.isOwn({ id, port: target.port });
  const results = clusters.map(({ name: cluster, seen }) => {
    if (seen.ok) return { cluster, isUnread: false, ...idsIn(target, seen.objects, observed, isOwn) };
    const { reason, message } = seen;
    const problems = [{ cluster, object: name, reason, message }];
    return { cluster, isUnread: true, ids: idsFoundIn(before, cluster), problems };
  });
  // A cluster that is not known may still have every target that it had.
  if (clusterName !== undefined && clusters.length === 0) {
    const problems = [noCluster(name, clusterName)];
    results.push({ cluster: clusterName, isUnread: true, ids: idsFoundIn(before), problems });
  }
  const byCluster = results.map(({ cluster, ids }) => ({ cluster, ids: unified(ids) }));
  return {
    ids: unified(byCluster.flatMap(({ ids }) => ids)),
    problems: results.flatMap(({ problems }) => problems),
    ...given({ clusters: clusterSelector && results.map(({ cluster }) => cluster) }),
    byCluster,
    unread: results.filter(({ isUnread }) => isUnread).map(({ cluster }) => cluster),
  };
}

/** The ids that were found in a cluster, or in any; those that are leaving are of none. */
const idsFoundIn = (before: readonly RegisteredTarget[], unread?: string): readonly string[] =>
  before
    .flatMap(({ ids = [], byCluster = [{ cluster: unread ?? '', ids }] }) => byCluster)
    .filter(({ cluster }) => unread === undefined || cluster === unread)
    .flatMap(({ ids }) => ids);

const unified = (ids: readonly string[]): readonly string[] => [...new Set(ids)].toSorted(compareText);

/** The ids of nodes or pods; one that is not ready is not registered, and stays when it is, because health checks judge it. */
function idsIn(
  target: BindingTarget,
  objects: readonly SeenObject[],
  { namespace, targetType }: Observed,
  isOwn: (id: string) => boolean,
): FoundIds {
  const { name, nodeName, podSelector, podNamespace = namespace } = target;
  const nodeSelector = nodeSelectorOf(target.nodeSelector ?? {});
  if (podSelector !== undefined && targetType !== 'ip') return { ids: [], problems: [podsOfInstances(name)] };
  if ((podSelector ?? nodeName ?? nodeSelector) === undefined)
    return { ids: [], problems: [withoutLabels(name)] };
  const isAsked = (one: SeenObject): boolean => {
    if (podSelector !== undefined) return one.namespace === podNamespace && matches(podSelector, one.labels);
    const isNamed = nodeName === undefined ? matches(nodeSelector, one.labels) : one.name === nodeName;
    return isNamed && !Object.hasOwn(one.labels, EXCLUDE_LABEL);
  };
  const known = objects
    .filter((one) => isAsked(one) && !one.isEnding)
    .map((one) => ({ one, id: targetType === 'ip' ? one.address : instanceIdOf(one.providerID) }));
  return {
    ids: known.flatMap(({ one, id }) => (id !== undefined && (one.isReady || isOwn(id)) ? [id] : [])),
    problems: known
      .filter(({ one, id }) => podSelector === undefined && id === undefined && one.isReady)
      .map(({ one }) => withoutId(name, one, targetType)),
  };
}

/** Reads a node selector in any of its three spellings; undefined when it says nothing. */
export function nodeSelectorOf(
  selector: NonNullable<BindingTarget['nodeSelector']>,
): LabelSelector | undefined {
  const { labels, matchLabels, matchExpressions = [], ...bare } = selector;
  const all = { ...bare, ...labels, ...matchLabels };
  return Object.keys(all).length === 0 && matchExpressions.length === 0
    ? undefined
    : { matchLabels: all, matchExpressions };
}

const noCluster = (object: string, cluster: string): Problem => ({
  cluster,
  object,
  reason: 'ClusterNotFound',
  message: `No Argo CD cluster secret of cluster ${cluster} in this namespace. Correct clusterName, or let a ClusterSet create it.`,
});

const withoutLabels = (object: string): Problem => ({
  object,
  reason: 'EmptyNodeSelector',
  message: `The nodeSelector of target ${object} is empty and would match all nodes. Add a label.`,
});
