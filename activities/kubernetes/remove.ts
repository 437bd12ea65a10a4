import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import { isConflict, isNotFound, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Metadata } from '../../crds/resource.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import type { OwnerReferences } from './owner-references.ts';

/** Deletes an object, unless it is another by now; with a version, unless it has changed. */
export async function remove(
  kubernetes: KubernetesClient,
  { kind, key }: { readonly kind: KindRef; readonly key: ObjectKey },
  uid: string,
  resourceVersion?: string,
): Promise<void> {
  try {
    await kubernetes.delete(kind, key, { uid, resourceVersion });
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}

/** An object as it was when its deletion was decided. */
interface FoundToGo {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly ownerReferences: OwnerReferences;
}

// Who changes an object that often has it looked at again.
const MOST_ATTEMPTS = 3;

/** Deletes an object that a set has made, unless it is another by now, or someone has become one of its owners since it was found. */
export async function removeAsFound(
  kubernetes: Pick<KubernetesClient, 'get' | 'delete'>,
  { kind, key }: { readonly kind: KindRef; readonly key: ObjectKey },
  { uid, resourceVersion: found, ownerReferences }: FoundToGo,
): Promise<void> {
  let resourceVersion = found;
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    try {
      await kubernetes.delete(kind, key, { uid, resourceVersion });
      return;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    // A status that was written meanwhile is no reason to stay.
    const now = (await kubernetes.get<{ readonly metadata: Metadata }>(kind, key))?.metadata;
    if (now?.uid !== uid || canonical(now.ownerReferences ?? []) !== canonical(ownerReferences)) return;
    resourceVersion = now.resourceVersion ?? '';
  }
}
