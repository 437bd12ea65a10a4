import { validLabels } from '../../kubernetes/selector.ts';
import { given, fieldsIn, recordsIn, textIn } from '../../model/fields.ts';
import type { RemoteBinding } from '../target-group-set/observed-target-group-set.ts';

/** An object in a cluster that is looked at: a Node, a Pod or a TargetGroupBinding (https://kubernetes.io/docs/reference/kubernetes-api/). */
export interface RemoteObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec?: {
    readonly targetGroupARN?: string;
    readonly multiClusterTargetGroup?: boolean;
    readonly providerID?: string;
  };
  readonly status?: {
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly podIP?: string;
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

const INTERNAL = 'InternalIP';

/** Takes of an object only what targets depend on, and only what is of its type. */
export function trimRemote({ metadata, spec, status }: RemoteObject): RemoteObject {
  const { name, namespace, uid, resourceVersion, labels, deletionTimestamp } = metadata;
  const { targetGroupARN, multiClusterTargetGroup, providerID } = fieldsIn(spec);
  const { addresses, podIP, phase, conditions } = fieldsIn(status);
  const address = textIn(recordsIn(addresses).find(({ type }) => type === INTERNAL)?.['address']);
  const ready = recordsIn(conditions).some((one) => one['type'] === 'Ready' && one['status'] === 'True');
  return {
    metadata: given({
      name,
      namespace,
      uid,
      resourceVersion,
      labels: validLabels(labels),
      deletionTimestamp: textIn(deletionTimestamp),
    }),
    spec: given({
      targetGroupARN: textIn(targetGroupARN),
      multiClusterTargetGroup: multiClusterTargetGroup === true ? true : undefined,
      providerID: textIn(providerID),
    }),
    status: given({
      addresses: address === undefined ? undefined : [{ type: INTERNAL, address }],
      podIP: textIn(podIP),
      phase: textIn(phase),
      conditions: ready ? [{ type: 'Ready', status: 'True' }] : undefined,
    }),
  };
}

/** A Node or a Pod, as far as it matters to a target group. */
export interface SeenObject {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** `spec.providerID` of a Node: `aws:///eu-central-1a/i-0123456789abcdef0`. */
  readonly providerID?: string | undefined;
  /** The address of a Pod, or that of a Node of the type InternalIP. */
  readonly address?: string | undefined;
  readonly isReady: boolean;
  /** Whether it is being deleted or, as a Pod, has ended: its address may be another one's soon. */
  readonly isEnding: boolean;
}

/** Reads what of a Node or Pod that was trimmed matters to a target group. */
export const readSeen = ({ metadata, spec, status }: RemoteObject): SeenObject => ({
  namespace: metadata.namespace ?? 'default',
  name: metadata.name,
  labels: metadata.labels ?? {},
  providerID: spec?.providerID,
  address: status?.podIP || status?.addresses?.find(({ type }) => type === INTERNAL)?.address,
  isReady: status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false,
  isEnding:
    metadata.deletionTimestamp !== undefined || status?.phase === 'Succeeded' || status?.phase === 'Failed',
});

/** What of a TargetGroupBinding that was trimmed matters to target groups. */
export const readBinding = ({ metadata, spec }: RemoteObject): Omit<RemoteBinding, 'api'> => ({
  namespace: metadata.namespace ?? 'default',
  name: metadata.name,
  labels: metadata.labels ?? {},
  arn: spec?.targetGroupARN === '' ? undefined : spec?.targetGroupARN,
  ...(spec?.multiClusterTargetGroup === true ? { isMultiCluster: true } : {}),
  isDeleting: metadata.deletionTimestamp !== undefined,
});
