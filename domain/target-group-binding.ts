import type { BindingTarget } from '../crds/binding-targets.ts';
import { compareText } from './canonical.ts';
import { matches, type LabelSelector } from './selector.ts';
import type { Problem } from './sync-status.ts';
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

/** A target as ELBv2 knows it. */
export interface Registration {
  readonly id: string;
  readonly port: number;
}

/** What an object has registered under one name, as its status says it. */
export interface RegisteredTarget {
  readonly name: string;
  readonly port: number;
  readonly ids?: readonly string[] | undefined;
  readonly clusters?: readonly string[] | undefined;
}

/** What a decision about the targets of an AWSTargetGroupBinding is made of. */
export interface ObservedBinding {
  readonly namespace: string;
  readonly targets: readonly BindingTarget[];
  readonly targetType: TargetType;
  readonly clusters: readonly SeenCluster[];
  /** What is in the target group, whoever has registered it. */
  readonly registered: readonly Registration[];
  /** What this object has registered. */
  readonly ours: readonly RegisteredTarget[];
}

/** What is to be registered and deregistered, in batches that ELBv2 takes. */
export interface BindingDecision {
  /** Recorded before anything is registered, so that nothing which a crash leaves behind is forgotten. */
  readonly claim: readonly RegisteredTarget[];
  readonly register: readonly (readonly Registration[])[];
  readonly deregister: readonly (readonly Registration[])[];
  /** Recorded after everything is done. */
  readonly targets: readonly RegisteredTarget[];
  readonly problems: readonly Problem[];
}

/** What of a cluster a target is found in: its nodes, or the pods of a namespace; each is read, and may fail, by itself. */
export const lookedAt = (target: BindingTarget, namespace: string): string =>
  target.podSelector === undefined ? 'nodes' : `pods/${target.podNamespace ?? namespace}`;

/** As many targets as one call takes (API_RegisterTargets, as the AWS Load Balancer Controller calls it). */
export const LARGEST_BATCH = 200;

/** Says which targets to register and deregister: only what this object has registered is ever deregistered. */
export function decideBinding(observed: ObservedBinding): BindingDecision {
  const { targets, registered, ours } = observed;
  const own = new Set(ours.flatMap(registrationsOf).map(textOf));
  const there = new Set(registered.map(textOf));
  const found = targets.map((target) => ({ target, ...find(target, observed, own) }));
  // What somebody else has registered stays theirs.
  const isOurs = (port: number) => (id: string) =>
    own.has(textOf({ id, port })) || !there.has(textOf({ id, port }));
  const wanted = found.map(({ target: { name, port }, ids, clusters }) => ({
    name,
    port,
    ids: ids.filter(isOurs(port)),
    ...(clusters === undefined ? {} : { clusters }),
  }));
  const all = unique(wanted.flatMap(registrationsOf));
  const keep = new Set(all.map(textOf));
  const leaving = unique(ours.flatMap(registrationsOf)).filter((one) => !keep.has(textOf(one)));
  return {
    claim: withLeaving(wanted, ours, keep),
    register: batches(all.filter((one) => !there.has(textOf(one)))),
    deregister: batches(leaving.filter((one) => there.has(textOf(one)))),
    targets: wanted,
    problems: found.flatMap(({ problems }) => problems),
  };
}

/** What is to be deregistered when the object is deleted: all that it has registered and that is still there. */
export const deregisterAll = (
  ours: readonly RegisteredTarget[],
  registered: readonly Registration[],
): readonly (readonly Registration[])[] => {
  const there = new Set(registered.map(textOf));
  return batches(unique(ours.flatMap(registrationsOf)).filter((one) => there.has(textOf(one))));
};

interface Found extends FoundIds {
  readonly clusters?: readonly string[];
}

function find(target: BindingTarget, observed: ObservedBinding, own: ReadonlySet<string>): Found {
  if (target.ids !== undefined) return { ids: target.ids, problems: [] };
  const { name, clusterName, clusterSelector } = target;
  const what = lookedAt(target, observed.namespace);
  const clusters = observed.clusters
    .filter((cluster) => cluster.what === undefined || cluster.what === what)
    .filter((cluster) =>
      clusterName === undefined ? matches(clusterSelector, cluster.labels) : cluster.name === clusterName,
    )
    .toSorted((a, b) => compareText(a.name, b.name));
  const before = observed.ours.filter((one) => one.name === name && one.port === target.port);
  const kept = before.flatMap(({ ids = [] }) => ids);
  const isOwn = (id: string): boolean => own.has(textOf({ id, port: target.port }));
  const results = clusters.map((cluster): FoundIds & { readonly isRead: boolean } => {
    if (cluster.seen.ok) return { ...idsIn(target, cluster.seen, observed, isOwn), isRead: true };
    const { reason, message } = cluster.seen;
    return { ids: [], problems: [{ cluster: cluster.name, object: name, reason, message }], isRead: false };
  });
  const problems = results.flatMap((result) => result.problems);
  if (clusterName !== undefined && clusters.length === 0) problems.push(noCluster(name, clusterName));
  // A cluster that is not known, or cannot be read, may still have every target that it had.
  const isComplete =
    results.every(({ isRead }) => isRead) && (clusterName === undefined || clusters.length > 0);
  const ids = [...results.flatMap((result) => result.ids), ...(isComplete ? [] : kept)];
  return {
    ids: [...new Set(ids)].toSorted(compareText),
    problems,
    ...(clusterSelector === undefined ? {} : { clusters: clusters.map((cluster) => cluster.name) }),
  };
}

function idsIn(
  target: BindingTarget,
  seen: { readonly nodes: readonly SeenNode[]; readonly pods: readonly SeenPod[] },
  { namespace, targetType }: ObservedBinding,
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

const registrationsOf = ({ ids = [], port }: RegisteredTarget): readonly Registration[] =>
  ids.map((id) => ({ id, port }));

const textOf = ({ id, port }: Registration): string => `${id}:${port}`;

const unique = (registrations: readonly Registration[]): readonly Registration[] =>
  [...new Map(registrations.map((one) => [textOf(one), one])).values()].toSorted((a, b) =>
    compareText(textOf(a), textOf(b)),
  );

const batches = (all: readonly Registration[]): readonly (readonly Registration[])[] =>
  Array.from({ length: Math.ceil(all.length / LARGEST_BATCH) }, (_, index) =>
    all.slice(index * LARGEST_BATCH, (index + 1) * LARGEST_BATCH),
  );

/** What is wanted, and what was registered before and is not deregistered yet. */
function withLeaving(
  wanted: readonly RegisteredTarget[],
  ours: readonly RegisteredTarget[],
  keep: ReadonlySet<string>,
): readonly RegisteredTarget[] {
  const leaving = ours
    .map(({ name, port, ids = [] }) => ({
      name,
      port,
      ids: ids.filter((id) => !keep.has(textOf({ id, port }))),
    }))
    .filter(({ ids }) => ids.length > 0);
  return [...wanted, ...leaving];
}

const noCluster = (object: string, cluster: string): Problem => ({
  cluster,
  object,
  reason: 'ClusterNotFound',
  message: `Expected an Argo CD cluster secret of cluster ${cluster} in this namespace, got none. Correct clusterName, or let a ClusterSet make it.`,
});

const withoutLabels = (object: string): Problem => ({
  object,
  reason: 'EmptyNodeSelector',
  message: `Expected nodeSelector of target ${object} to name a label, got none, which all nodes fulfil. Add a label.`,
});
