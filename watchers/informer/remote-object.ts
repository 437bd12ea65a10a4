import {
  EKS_TARGET_GROUP_BINDING,
  NODE,
  POD,
  TARGET_GROUP_BINDING,
  type KindRef,
} from '../../clients/kubernetes/kinds.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { validLabels } from '../../domain/kubernetes/valid-labels.ts';
import { fieldsIn, recordsIn, textIn } from '../../domain/model/shape.ts';
import type { InformedMetadata } from '../event.ts';
import { given } from '../../domain/model/given.ts';

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
  readonly metadata: InformedMetadata & {
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

// A node has a few, one for each family and name.
const MOST_ADDRESSES = 20;

/**
 * Takes of an object only what targets depend on: times of heartbeats and the rest change all the time, and take up room.
 * What is not of its type is left out, since who runs the cluster may have any object made up.
 */
export function trim({ metadata, spec, status }: RemoteObject): RemoteObject {
  const { name, namespace, uid, resourceVersion, labels, deletionTimestamp } = metadata;
  const { targetGroupARN, providerID } = fieldsIn(spec);
  const { addresses, podIP, phase, conditions } = fieldsIn(status);
  const ready = recordsIn(conditions).flatMap(({ type, status: holds }) =>
    type === 'Ready' && typeof holds === 'string' ? [{ type, status: holds }] : [],
  );
  const found = recordsIn(addresses).map(({ type, address }) =>
    given({ type: textIn(type), address: textIn(address) }),
  );
  return {
    metadata: given({
      name,
      namespace,
      uid,
      resourceVersion,
      labels: labels === undefined ? undefined : validLabels(labels),
      deletionTimestamp: textIn(deletionTimestamp),
    }),
    spec: given({ targetGroupARN: textIn(targetGroupARN), providerID: textIn(providerID) }),
    status: {
      ...given({
        addresses: Array.isArray(addresses) ? found.slice(0, MOST_ADDRESSES) : undefined,
        podIP: textIn(podIP),
        phase: textIn(phase),
      }),
      conditions: ready,
    },
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
