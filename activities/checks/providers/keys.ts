import { SECRET } from '../../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import { refused } from '../../../clients/provider-error.ts';
import { decodeBase64 } from '../../../clients/kubernetes/base64.ts';
import { toFailure } from '../../failure.ts';
import type { ObjectKey } from '../../../domain/model/ids.ts';

interface Secret {
  readonly data?: Readonly<Record<string, string>>;
}

// A key is shorter, and a header takes no more.
const LONGEST_KEY = 4096;

/** Reads keys of a Secret, in this order; throws a ProviderError when one is missing. */
export async function readKeys(
  kubernetes: Pick<KubernetesClient, 'get'>,
  key: ObjectKey,
  names: readonly string[],
): Promise<readonly string[]> {
  const secret = await kubernetes.get<Secret>(SECRET, key).catch((error: unknown) => {
    throw refused(
      `Expected to read Secret ${key.name} in namespace ${key.namespace}, got: ${toFailure(error).message} Let okrad get it.`,
    );
  });
  if (secret === undefined)
    throw refused(`Expected Secret ${key.name} in namespace ${key.namespace}, got none. Create it.`);
  return names.map((name) => {
    const value = decodeBase64((secret.data?.[name] ?? '').slice(0, 2 * LONGEST_KEY))?.trim() ?? '';
    // What a header does not take would be quoted by who refuses it.
    if (value !== '' && value.length <= LONGEST_KEY && /^[\x21-\x7e]+$/.test(value)) return value;
    throw refused(
      `Expected Secret ${key.name} in namespace ${key.namespace} to have the key ${name}, of printable characters, got none. Add it.`,
    );
  });
}
