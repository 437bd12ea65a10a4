import type { Problem } from '../sync-status.ts';

/** How a target group knows its targets. */
export type TargetType = 'instance' | 'ip';

/** A node, as far as it matters to a target group. */
export interface SeenNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** `spec.providerID`: `aws:///eu-central-1a/i-0123456789abcdef0`. */
  readonly providerID?: string | undefined;
  /** Its address of the type InternalIP. */
  readonly address?: string | undefined;
  readonly isReady: boolean;
  readonly isDeleting: boolean;
}

/** A pod, as far as it matters to a target group. */
export interface SeenPod {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly address?: string | undefined;
  readonly isReady: boolean;
  /** Whether it has ended or is being deleted; its address may be another pod's soon. */
  readonly isEnding: boolean;
}

/** The ids of targets, and what is wrong with others. */
export interface FoundIds {
  readonly ids: readonly string[];
  readonly problems: readonly Problem[];
}

/** How ids are taken of nodes and pods. */
export interface Taking {
  /** The name of the target in the spec. */
  readonly name: string;
  readonly targetType: TargetType;
  /** Whether a target is registered by the same object already. */
  readonly isOwn: (id: string) => boolean;
}

/** Nodes with this label are behind no load balancer (https://kubernetes.io/docs/reference/labels-annotations-taints/). */
const EXCLUDE_LABEL = 'node.kubernetes.io/exclude-from-external-load-balancers';

/** The id of the EC2 instance behind a node; undefined when it is none, such as a Fargate one. */
export const instanceIdOf = (providerID: string | undefined): string | undefined =>
  /^aws:\/\/\/[^/]+\/(i-[0-9a-f]+)$/.exec(providerID ?? '')?.[1];

/** The ids of nodes; one that is not ready is not registered, and stays when it is, because health checks judge it. */
export function idsOfNodes(nodes: readonly SeenNode[], { name, targetType, isOwn }: Taking): FoundIds {
  const usable = nodes.filter((node) => !node.isDeleting && !Object.hasOwn(node.labels, EXCLUDE_LABEL));
  const known = usable.map((node) => ({
    node,
    id: targetType === 'ip' ? node.address : instanceIdOf(node.providerID),
  }));
  return {
    ids: known.flatMap(({ node, id }) => (id !== undefined && (node.isReady || isOwn(id)) ? [id] : [])),
    problems: known
      .filter(({ node, id }) => id === undefined && node.isReady)
      .map(({ node }) => withoutId(name, node, targetType)),
  };
}

/** The addresses of pods; one that is not ready is not registered, and stays when it is, until it ends. */
export function idsOfPods(pods: readonly SeenPod[], { name, targetType, isOwn }: Taking): FoundIds {
  if (targetType !== 'ip') return { ids: [], problems: [podsOfInstances(name)] };
  return {
    ids: pods.flatMap(({ address, isReady, isEnding }) =>
      address !== undefined && !isEnding && (isReady || isOwn(address)) ? [address] : [],
    ),
    problems: [],
  };
}

const withoutId = (object: string, node: SeenNode, targetType: TargetType): Problem => ({
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
