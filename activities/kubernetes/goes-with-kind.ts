import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';

/** Tells whether an object is being deleted because its kind is, so that nobody has asked to undo what it has made. */
export async function goesWithKind(
  client: Pick<KubernetesClient, 'serves'>,
  kind: KindRef,
): Promise<boolean> {
  return !(await client.serves(kind));
}
