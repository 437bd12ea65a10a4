import {
  EKS_TARGET_GROUP_BINDING,
  NODE,
  POD,
  TARGET_GROUP_BINDING,
  type KindRef,
} from '../../clients/kubernetes/kinds.ts';
import type { RemoteObject } from '../../domain/discovery/clusters/seen.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';

/** The kinds that are watched in clusters. */
export const remoteKinds = {
  TargetGroupBinding: TARGET_GROUP_BINDING,
  EKSTargetGroupBinding: EKS_TARGET_GROUP_BINDING,
  Node: NODE,
  Pod: POD,
} as const satisfies Record<string, KindRef>;

/** The name of such a kind. */
export type RemoteKind = keyof typeof remoteKinds;

/** Whether two states of an object make no difference to targets. */
export const isSame = (a: RemoteObject, b: RemoteObject): boolean => textOf(a) === textOf(b);

const textOf = ({ metadata, spec, status }: RemoteObject): string =>
  canonical([
    metadata.labels ?? {},
    metadata.deletionTimestamp ?? '',
    spec ?? {},
    // JSON, because it has lists of objects.
    JSON.stringify(status ?? {}),
  ]);
