import { readDefinition } from '../../clients/kubernetes/definition.ts';
import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import { unlessMissing, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Definition } from '../../domain/gates/doubts.ts';

/** For how long the objects of a kind are waited for that was installed again, where nobody says; as `OKRA_GRACE_PERIOD` (config-variables.ts). */
export const GRACE_SECONDS = 180;

/** Reads a list of a kind, undefined where it is not installed, and what is known of the definition of the kind. */
export async function readWithDefinition<T>(
  client: Pick<KubernetesClient, 'get' | 'serves'>,
  kind: KindRef,
  list: Promise<T>,
): Promise<{ readonly found: T | undefined; readonly definition: Definition }> {
  const found = await unlessMissing(list);
  if (found === undefined) return { found, definition: { isThere: false } };
  // Afterwards: what a list lacks because its kind was being deleted, the definition tells.
  return { found, definition: await definitionOf(client, kind) };
}

/** Reads what is known of the definition of a kind; where kinds come without definitions (kcp), what is served tells. */
export async function definitionOf(
  client: Pick<KubernetesClient, 'get' | 'serves'>,
  kind: KindRef,
): Promise<Definition> {
  const { isThere, since } = await readDefinition(client, kind);
  return { isThere: isThere || (since === undefined && (await client.serves(kind))), since };
}

/**
 * Whether an object that is being deleted, or was, goes because the definition of a kind does, or did after the object was made. Then
 * nobody has asked for what deleting that object alone would undo.
 */
export async function goesWithKind(
  client: Pick<KubernetesClient, 'get' | 'serves'>,
  kind: KindRef,
  { creationTimestamp = '' }: { readonly creationTimestamp?: string | undefined },
): Promise<boolean> {
  const { isThere, since = '' } = await definitionOf(client, kind);
  return !isThere || Date.parse(creationTimestamp) < Date.parse(since);
}
