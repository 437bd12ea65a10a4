import type { SeenNode, SeenPod } from './target-ids.ts';

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string;
}

interface Condition {
  readonly type: string;
  readonly status: string;
}

/** What of a Node is looked at (https://kubernetes.io/docs/reference/kubernetes-api/cluster-resources/node-v1/). */
export interface NodeObject {
  readonly metadata: Metadata;
  readonly spec?: { readonly providerID?: string };
  readonly status?: {
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly conditions?: readonly Condition[];
  };
}

/** What of a Pod is looked at (https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/). */
export interface PodObject {
  readonly metadata: Metadata;
  readonly status?: {
    readonly podIP?: string;
    readonly phase?: string;
    readonly conditions?: readonly Condition[];
  };
}

/** Takes of a Node what matters to a target group. */
export function seenNode({ metadata, spec = {}, status = {} }: NodeObject): SeenNode {
  return {
    name: metadata.name,
    labels: metadata.labels ?? {},
    providerID: spec.providerID,
    address: status.addresses?.find(({ type }) => type === 'InternalIP')?.address,
    isReady: isReady(status.conditions),
    isDeleting: metadata.deletionTimestamp !== undefined,
  };
}

/** Takes of a Pod what matters to a target group. */
export function seenPod({ metadata, status = {} }: PodObject): SeenPod {
  const { podIP, phase = '', conditions } = status;
  return {
    namespace: metadata.namespace ?? 'default',
    name: metadata.name,
    labels: metadata.labels ?? {},
    address: podIP === '' ? undefined : podIP,
    isReady: isReady(conditions),
    isEnding: metadata.deletionTimestamp !== undefined || phase === 'Succeeded' || phase === 'Failed',
  };
}

const isReady = (conditions: readonly Condition[] = []): boolean =>
  conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
