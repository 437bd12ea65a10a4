import { validLabels } from '../../kubernetes/valid-labels.ts';
import { given } from '../../model/given.ts';
import { fieldsIn, recordsIn, textIn } from '../../model/shape.ts';
import type { RemoteBinding } from '../target-group-set/target-group-of-binding.ts';
import type { SeenNode, SeenPod } from '../target-group-binding/target-ids.ts';

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

/** Takes of a Node what matters to a target group; what is not of its type counts as missing. */
export function seenNode({ metadata, spec, status }: NodeObject): SeenNode {
  const { addresses, conditions } = fieldsIn(status);
  return {
    name: metadata.name,
    labels: validLabels(metadata.labels),
    providerID: textIn(fieldsIn(spec)['providerID']),
    address: internalAddress(addresses),
    isReady: isReady(conditions),
    isDeleting: metadata.deletionTimestamp !== undefined,
  };
}

const INTERNAL = 'InternalIP';

const internalAddress = (addresses: unknown): string | undefined =>
  textIn(recordsIn(addresses).find(({ type }) => type === INTERNAL)?.['address']);

/** Takes of a Pod what matters to a target group; what is not of its type counts as missing. */
export function seenPod({ metadata, status }: PodObject): SeenPod {
  const { podIP, phase, conditions } = fieldsIn(status);
  return {
    namespace: metadata.namespace ?? 'default',
    name: metadata.name,
    labels: validLabels(metadata.labels),
    address: podIP === '' ? undefined : textIn(podIP),
    isReady: isReady(conditions),
    isEnding: metadata.deletionTimestamp !== undefined || phase === 'Succeeded' || phase === 'Failed',
  };
}

const isReady = (conditions: unknown): boolean =>
  recordsIn(conditions).some(({ type, status }) => type === 'Ready' && status === 'True');

/** What of a TargetGroupBinding is looked at. */
export interface BindingObject {
  readonly metadata: Metadata;
  readonly spec?: { readonly targetGroupARN?: string };
}

/** Takes of a TargetGroupBinding what matters to an AWSTargetGroupSet; what is not of its type counts as missing. */
export function seenBinding({ metadata, spec }: BindingObject): Omit<RemoteBinding, 'api'> {
  const arn = textIn(fieldsIn(spec)['targetGroupARN']);
  return {
    namespace: metadata.namespace ?? 'default',
    name: metadata.name,
    labels: validLabels(metadata.labels),
    arn: arn === '' ? undefined : arn,
    isDeleting: metadata.deletionTimestamp !== undefined,
  };
}

/** Takes of a TargetGroupBinding what is looked at, and leaves out all else. */
export const trimBinding = ({ metadata, spec }: BindingObject): BindingObject => ({
  metadata: trimMetadata(metadata),
  spec: given({ targetGroupARN: textIn(fieldsIn(spec)['targetGroupARN']) }),
});

/** Takes of a Node what is looked at. */
export const trimNode = ({ metadata, spec, status }: NodeObject): NodeObject => {
  const { addresses, conditions } = fieldsIn(status);
  const address = internalAddress(addresses);
  return {
    metadata: trimMetadata(metadata),
    spec: given({ providerID: textIn(fieldsIn(spec)['providerID']) }),
    status: {
      addresses: address === undefined ? [] : [{ type: INTERNAL, address }],
      conditions: readiness(conditions),
    },
  };
};

/** Takes of a Pod what is looked at. */
export const trimPod = ({ metadata, status }: PodObject): PodObject => {
  const { podIP, phase, conditions } = fieldsIn(status);
  return {
    metadata: trimMetadata(metadata),
    status: { ...given({ podIP: textIn(podIP), phase: textIn(phase) }), conditions: readiness(conditions) },
  };
};

const trimMetadata = ({ name, namespace, labels, deletionTimestamp }: Metadata): Metadata => ({
  ...given({ name, namespace, deletionTimestamp }),
  labels: validLabels(labels),
});

const readiness = (conditions: unknown): readonly Condition[] =>
  isReady(conditions) ? [{ type: 'Ready', status: 'True' }] : [];
