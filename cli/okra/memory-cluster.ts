import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import { kindOf } from '../../clients/kubernetes/kinds.ts';
import type { Identified, Key, KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';

/** A Kubernetes API of one object in memory, for what needs no cluster: the object is what the command line says. */
export function clusterOfOne(object: Identified): {
  readonly kubernetes: KubernetesClient;
  /** The object with the status that was written last. */
  readonly now: () => Identified;
} {
  let kept: Identified = object;
  const isIt = (kind: KindRef, { namespace, name }: Key): boolean =>
    kind.kind === kept.kind && name === kept.metadata.name && namespace === kept.metadata.namespace;
  const never = (): never => {
    throw new Error(`Expected to read and report ${object.kind} ${object.metadata.name} alone.`);
  };
  return {
    now: () => kept,
    kubernetes: {
      get: async <T>(kind: KindRef, key: Key) => (isIt(kind, key) ? (kept as T) : undefined),
      list: async () => [],
      serves: async () => false,
      isReady: async () => true,
      apply: async (written) => {
        if (isIt(kindOf(written), written.metadata)) kept = { ...kept, ...written, metadata: kept.metadata };
        return written;
      },
      create: async (written) => written,
      snapshot: never,
      watch: never,
      patch: never,
      delete: never,
    },
  };
}
