import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import { unlessMissing, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Metadata } from '../../crds/resource.ts';
import { formatKey, type ObjectKey } from '../../domain/model/ids.ts';
import { unlessChanged } from './writes.ts';

/** An object that may be kept from going. */
export interface FinalizerOf {
  readonly kind: KindRef;
  readonly key: ObjectKey;
  readonly finalizer: string;
}

/** Keeps an object until it is let go, should it be deleted, and gives it as it is then; undefined when there is none. Throws when it was changed meanwhile. */
export const addFinalizer = <T extends WithMetadata>(
  kubernetes: KubernetesClient,
  held: FinalizerOf,
): Promise<T | undefined> =>
  setFinalizers(kubernetes, held, (found) =>
    found.includes(held.finalizer) ? found : [...found, held.finalizer],
  );

interface WithMetadata {
  readonly metadata: Metadata;
}

/** Lets an object go that is kept; one that is gone, or was let go, is left as it is. */
export const removeFinalizer = async (kubernetes: KubernetesClient, held: FinalizerOf): Promise<void> =>
  void (await setFinalizers(kubernetes, held, (found) => found.filter((one) => one !== held.finalizer)));

/** Changes the finalizers of an object, those of others included in the comparison of versions, so that none is lost. */
async function setFinalizers<T extends WithMetadata>(
  kubernetes: KubernetesClient,
  { kind, key }: FinalizerOf,
  change: (finalizers: readonly string[]) => readonly string[],
): Promise<T | undefined> {
  const object = await kubernetes.get<T>(kind, key);
  if (object === undefined) return undefined;
  const { finalizers: before = [], resourceVersion } = object.metadata;
  const finalizers = change(before);
  if (finalizers.length === before.length) return object;
  const patch = { metadata: { finalizers, resourceVersion } };
  return await unlessChanged(`${kind.kind} ${formatKey(key)}`, () =>
    unlessMissing(kubernetes.patch<T>(kind, key, patch)),
  );
}
