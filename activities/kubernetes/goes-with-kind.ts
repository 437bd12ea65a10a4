import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { definitionOf } from './definition.ts';

/**
 * Whether an object is being deleted because the definition of a kind is, or was after the object was created. Then nobody
 * has asked for what deleting that object alone would undo.
 */
export async function goesWithKind(
  client: Pick<KubernetesClient, 'get' | 'serves'>,
  kind: KindRef,
  { creationTimestamp = '' }: { readonly creationTimestamp?: string | undefined },
): Promise<boolean> {
  const { isThere, since = '' } = await definitionOf(client, kind);
  return !isThere || Date.parse(creationTimestamp) < Date.parse(since);
}
