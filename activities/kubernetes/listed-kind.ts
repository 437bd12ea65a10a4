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
  const definition = await readDefinition(client, kind);
  // Where kinds come without definitions (kcp), what is served tells.
  const isThere = definition.isThere || (definition.since === undefined && (await client.serves(kind)));
  return { found, definition: { ...definition, isThere } };
}
