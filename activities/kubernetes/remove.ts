import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import { isConflict, isNotFound, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';

/** Deletes an object, unless it is another by now. */
export async function remove(
  kubernetes: KubernetesClient,
  { kind, key }: { readonly kind: KindRef; readonly key: ObjectKey },
  uid: string,
): Promise<void> {
  try {
    await kubernetes.delete(kind, key, { uid });
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}
