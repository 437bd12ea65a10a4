import { textIn } from '../../domain/model/shape.ts';
import { CUSTOM_RESOURCE_DEFINITION, groupOf, type KindRef } from './kinds.ts';
import { isForbidden, type KubernetesClient } from './kubernetes.ts';

/** What is known of the definition of a kind (the CustomResourceDefinition). */
export interface Definition {
  /** Whether it is there to stay. */
  readonly isThere: boolean;
  /** When it was created; undefined where Okra may not see that. */
  readonly since?: string | undefined;
}

interface CustomResourceDefinition {
  readonly metadata: { readonly creationTimestamp?: unknown; readonly deletionTimestamp?: unknown };
}

/**
 * Reads whether a kind is there to stay, and since when. Where Okra may not see definitions, it asks what is served, which does
 * not show since when. Where it may not ask that either, the kind counts as there.
 */
export async function readDefinition(
  client: Pick<KubernetesClient, 'get' | 'serves'>,
  kind: KindRef,
): Promise<Definition> {
  try {
    const key = { name: `${kind.plural}.${groupOf(kind)}` };
    const found = await client.get<CustomResourceDefinition>(CUSTOM_RESOURCE_DEFINITION, key);
    if (found === undefined) return { isThere: false };
    const { creationTimestamp, deletionTimestamp } = found.metadata;
    return { isThere: deletionTimestamp === undefined, since: textIn(creationTimestamp) };
  } catch (error) {
    if (!isForbidden(error)) throw error;
  }
  try {
    return { isThere: await client.serves(kind) };
  } catch (error) {
    if (isForbidden(error)) return { isThere: true };
    throw error;
  }
}
