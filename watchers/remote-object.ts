import { EKS_TARGET_GROUP_BINDING, NODE, POD, TARGET_GROUP_BINDING, type KindRef } from '../clients/kinds.ts';
import { canonical } from '../domain/canonical.ts';
import type { Metadata } from './event.ts';
import { given } from './given.ts';

/** The kinds that are watched in clusters. */
export const remoteKinds = {
  TargetGroupBinding: TARGET_GROUP_BINDING,
  EKSTargetGroupBinding: EKS_TARGET_GROUP_BINDING,
  Node: NODE,
  Pod: POD,
} as const satisfies Record<string, KindRef>;

/** The name of such a kind. */
export type RemoteKind = keyof typeof remoteKinds;

/** An object of such a kind. */
export interface RemoteObject {
  readonly metadata: Metadata & {
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
  };
  readonly spec?: { readonly targetGroupARN?: string; readonly providerID?: string };
  readonly status?: {
    readonly addresses?: readonly unknown[];
    readonly podIP?: string;
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** Takes of an object only what targets depend on: times of heartbeats and the rest change all the time, and take up room. */
export function trim({ metadata, spec = {}, status = {} }: RemoteObject): RemoteObject {
  const { name, namespace, uid, resourceVersion, labels, deletionTimestamp } = metadata;
  const { targetGroupARN, providerID } = spec;
  const { addresses, podIP, phase, conditions = [] } = status;
  const ready = conditions.flatMap(({ type, status: holds }) =>
    type === 'Ready' ? [{ type, status: holds }] : [],
  );
  return {
    metadata: given({ name, namespace, uid, resourceVersion, labels, deletionTimestamp }),
    spec: given({ targetGroupARN, providerID }),
    status: { ...given({ addresses, podIP, phase }), conditions: ready },
  };
}

/** Whether two states of an object make no difference to targets. */
export const isSame = (a: RemoteObject, b: RemoteObject): boolean => textOf(a) === textOf(b);

const textOf = ({ metadata, spec, status }: RemoteObject): string =>
  canonical([
    metadata.labels ?? {},
    metadata.deletionTimestamp ?? '',
    spec ?? {},
    // JSON, because what stands in it is of no type.
    JSON.stringify(status ?? {}),
  ]);
