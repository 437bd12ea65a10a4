import { readDefinition } from '../../clients/kubernetes/definition.ts';
import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import { unlessMissing, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Definition } from '../../domain/kubernetes/definition.ts';

/** How long Okra waits for the objects of a kind that was installed again, where the configuration does not say: the default of `OKRA_GRACE_PERIOD` (config/variables.ts). */
export const GRACE_SECONDS = 180;

/** Reads a list of a kind, undefined where the kind is not installed, and then what is known of its definition. */
export async function readWithDefinition<T>(
  list: Promise<T>,
  definition: (found: T) => Promise<Definition>,
): Promise<{ readonly found?: T; readonly definition: Definition }> {
  const found = await unlessMissing(list);
  if (found === undefined) return { definition: { isThere: false } };
  // The definition is read last: it shows whether the list lacks objects because the kind was being deleted.
  return { found, definition: await definition(found) };
}

/**
 * Reads what is known of the definition of a kind; where kinds come without definitions (kcp), what is served tells. Where it had
 * one before it does not: what is served may be told a moment too late.
 */
export async function definitionOf(
  client: Pick<KubernetesClient, 'get' | 'serves'>,
  kind: KindRef,
  hadDefinition = false,
): Promise<Definition> {
  const { isThere, since } = await readDefinition(client, kind);
  const asks = !isThere && since === undefined && !hadDefinition;
  return { isThere: asks ? await client.serves(kind) : isThere, since };
}
