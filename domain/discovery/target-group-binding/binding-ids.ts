import { given } from '../../model/fields.ts';
import type { BindingTarget } from '../../../crds/aws-target-group-binding.ts';
import { compareText } from '../../kubernetes/canonical.ts';
import type { IdsOfCluster, RegisteredTarget, Registration } from './registered-target.ts';
import { matches, type LabelSelector } from '../../kubernetes/selector.ts';
import type { Problem } from '../sync-status.ts';
import {
  idsOfNodes,
  idsOfPods,
  type FoundIds,
  type SeenNode,
  type SeenPod,
  type TargetType,
} from './target-ids.ts';

/** What was seen in a cluster, or why it could not be read. */
export interface SeenCluster {
  readonly name: string;
  /** The labels of its Argo CD cluster secret. */
  readonly labels: Readonly<Record<string, string>>;
  /** What of it was read, as `lookedAt` says; undefined: everything. */
  readonly what?: string;
  readonly seen:
    | { readonly ok: true; readonly nodes: readonly SeenNode[]; readonly pods: readonly SeenPod[] }
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
  /** What the object has registered: where ids were found before. */
  readonly known: readonly RegisteredTarget[];
  readonly isOwn: (one: Registration) => boolean;
}

/** The ids of a target, and where they were found. */
interface FoundTarget extends FoundIds {
  /** The clusters that were looked into, when they were selected by labels. */
  readonly clusters?: readonly string[];
  readonly byCluster?: readonly IdsOfCluster[];
  /** The clusters that could not be read, or are not known. */
  readonly unread: readonly string[];
}

/** Finds the ids of a target in what was seen; those of a cluster that could not be read stay as they were. */
export function findIds(target: BindingTarget, observed: Observed): FoundTarget {
  if (target.ids !== undefined) return { ids: target.ids, problems: [], unread: [] };
  const { name, clusterName, clusterSelector } = target;
  const what = lookedAt(target, observed.namespace);
  const clusters = observed.clusters
    .filter((cluster) => cluster.what === undefined || cluster.what === what)
    .filter((cluster) =>
      clusterName === undefined ? matches(clusterSelector, cluster.labels) : cluster.name === clusterName,
    )
    .toSorted((a, b) => compareText(a.name, b.name));
  // With another port as well: what a cluster had that cannot be read now is registered with the new one.
  const before = observed.known.filter((one) => one.name === name);
  const isOwn = (id: string): boolean => observed.isOwn({ id, port: target.port });
  const results = clusters.map(({ name: cluster, seen }): FoundIds & { readonly cluster: string } => {
    if (seen.ok) return { cluster, ...idsIn(target, seen, observed, isOwn) };
    const { reason, message } = seen;
    const problems = [{ cluster, object: name, reason, message }];
    return { cluster, ids: idsFoundIn(cluster, before), problems };
  });
  // A cluster that is not known may still have every target that it had.
  if (clusterName !== undefined && clusters.length === 0) {
    const ids = unified(before.flatMap(idsOfAll));
    results.push({ cluster: clusterName, ids, problems: [noCluster(name, clusterName)] });
  }
  const isUnread = (cluster: string): boolean => {
    const named = clusters.filter((one) => one.name === cluster);
    return named.length === 0 || named.some(({ seen }) => !seen.ok);
  };
  const byCluster = results.map(({ cluster, ids }) => ({ cluster, ids: unified(ids) }));
  const looked = byCluster.map(({ cluster }) => cluster);
  return {
    ids: unified(byCluster.flatMap(({ ids }) => ids)),
    problems: results.flatMap(({ problems }) => problems),
    ...given({ clusters: clusterSelector && looked }),
    byCluster,
    unread: looked.filter(isUnread),
  };
}

/** The ids that a cluster had, and all of which nobody has written down of which cluster they are. */
const idsFoundIn = (unread: string, before: readonly RegisteredTarget[]): readonly string[] =>
  before.flatMap((one) =>
    one.byCluster === undefined
      ? idsOfAll(one)
      : one.byCluster.filter(({ cluster }) => cluster === unread).flatMap(({ ids }) => ids),
  );

/** The ids of all clusters, without those that are leaving, which are of none. */
const idsOfAll = ({ ids = [], byCluster }: RegisteredTarget): readonly string[] =>
  byCluster === undefined ? ids : byCluster.flatMap((one) => one.ids);

const unified = (ids: readonly string[]): readonly string[] => [...new Set(ids)].toSorted(compareText);

function idsIn(
  target: BindingTarget,
  seen: { readonly nodes: readonly SeenNode[]; readonly pods: readonly SeenPod[] },
  { namespace, targetType }: Observed,
  isOwn: (id: string) => boolean,
): FoundIds {
  const { name, nodeName, podSelector, podNamespace = namespace } = target;
  const how = { targetType, isOwn, name };
  if (podSelector !== undefined) {
    const pods = seen.pods.filter(
      (pod) => pod.namespace === podNamespace && matches(podSelector, pod.labels),
    );
    return idsOfPods(pods, how);
  }
  if (nodeName !== undefined)
    return idsOfNodes(
      seen.nodes.filter((node) => node.name === nodeName),
      how,
    );
  const selector = nodeSelectorOf(target.nodeSelector ?? {});
  if (selector === undefined) return { ids: [], problems: [withoutLabels(name)] };
  return idsOfNodes(
    seen.nodes.filter((node) => matches(selector, node.labels)),
    how,
  );
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
