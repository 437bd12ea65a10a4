import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import { isConflict, type Identified, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';

/** Finds the object that an earlier attempt has created, or creates it; undefined when it is deleted meanwhile. */
export async function createOnce<T extends Identified>(
  kubernetes: KubernetesClient,
  { kind, key }: { readonly kind: KindRef; readonly key: ObjectKey },
  build: () => Promise<T>,
): Promise<T | undefined> {
  const known = await kubernetes.get<T>(kind, key);
  if (known !== undefined) return known;
  const object = await build();
  try {
    return await kubernetes.create(object);
  } catch (error) {
    if (isConflict(error)) return kubernetes.get<T>(kind, key);
    throw error;
  }
}
