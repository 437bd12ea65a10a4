import type { Definition } from '../../domain/kubernetes/definition.ts';
import { textIn } from '../../domain/model/shape.ts';
import { CUSTOM_RESOURCE_DEFINITION, definitionName, type KindRef } from './kinds.ts';
import { isForbidden, type KubernetesClient } from './kubernetes.ts';

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
    const key = { name: definitionName(kind) };
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
