import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Metadata } from '../../crds/resource.ts';
import { sameValue } from '../../domain/kubernetes/canonical.ts';
import { formatKey, keyOf } from '../../domain/model/ids.ts';
import { failure } from '../failure.ts';
import { retryOnConflict } from './retry-on-conflict.ts';
import { statusReporter } from './status-reporter.ts';

/** An object as it was read. */
export interface ReadObject {
  readonly metadata: Metadata;
  readonly status?: object | undefined;
}

/** Writes a status that was made of an object as it was read; an object that is gone is left alone. */
export type ReadReporter = (
  kind: KindRef,
  read: ReadObject,
  status: object,
  signal?: AbortSignal,
) => Promise<void>;

/**
 * Makes what writes a status over the version of the object that it was made of. When there is another by now, it is
 * written over that one, unless someone has told of the object meanwhile: what a slow network or a stopped process has kept
 * is older than that.
 */
export function readReporter(kubernetes: Pick<KubernetesClient, 'get' | 'apply' | 'create'>): ReadReporter {
  const report = statusReporter(kubernetes);
  return (kind, read, status, signal) => {
    const key = keyOf(read);
    const { uid = '' } = read.metadata;
    return retryOnConflict(async (attempt) => {
      const object = attempt === 1 ? read : await kubernetes.get<ReadObject>(kind, key, { signal });
      if (object === undefined || object.metadata.uid !== read.metadata.uid) return;
      if (!sameValue(object.status, read.status))
        throw failure(
          'Superseded',
          `Expected to write the next status of ${kind.kind} ${formatKey(key)}, got one there that was written later.`,
        );
      const { resourceVersion } = object.metadata;
      await report(kind, { key, uid, resourceVersion, signal }, status, []);
    });
  };
}
