import { textIn } from '../../domain/model/shape.ts';
import { CUSTOM_RESOURCE_DEFINITION, definitionName, type KindRef } from './kinds.ts';
import { KubernetesError, type KubernetesClient } from './kubernetes.ts';

interface CustomResourceDefinition {
  readonly metadata: { readonly creationTimestamp?: unknown; readonly deletionTimestamp?: unknown };
}

/** What a cluster says of the definition of a kind. */
interface FoundDefinition {
  /** Whether it is there to stay. */
  readonly isThere: boolean;
  /** When it was made; undefined where nobody may know. */
  readonly since?: string | undefined;
}

/**
 * Reads whether a kind is there to stay, and since when. Who may not see definitions asks what is served, which does not say
 * since when; who may not ask that takes it to be there.
 */
export async function readDefinition(
  client: Pick<KubernetesClient, 'get' | 'serves'>,
  kind: KindRef,
): Promise<FoundDefinition> {
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

const isForbidden = (error: unknown): boolean => error instanceof KubernetesError && error.status === 403;
