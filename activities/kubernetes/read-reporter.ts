import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Metadata } from '../../crds/resource.ts';
import { sameValue } from '../../domain/kubernetes/canonical.ts';
import { keyOf } from '../../domain/model/ids.ts';
import { retryOnConflict } from './retry-on-conflict.ts';
import { statusReporter } from './status-reporter.ts';
import { superseded } from './superseded.ts';

/** An object as it was read. */
export interface ReadObject {
  readonly metadata: Metadata;
  readonly status?: object | undefined;
}

/** Writes a status that was made from an object as it was read; an object that is gone is left alone. */
export type ReadReporter = (
  kind: KindRef,
  read: ReadObject,
  status: object,
  signal?: AbortSignal,
) => Promise<void>;

/**
 * Makes what writes a status over the version of the object from which it was made. If the object has another version by
 * now, the status is written over that one, unless the status there has changed as well: then this one comes late, kept
 * back by a slow network or a stopped process.
 */
export function readReporter(kubernetes: Pick<KubernetesClient, 'get' | 'apply' | 'create'>): ReadReporter {
  const report = statusReporter(kubernetes);
  return (kind, read, status, signal) => {
    const key = keyOf(read);
    const { uid = '' } = read.metadata;
    return retryOnConflict(async (attempt) => {
      const object = attempt === 1 ? read : await kubernetes.get<ReadObject>(kind, key, { signal });
      if (object === undefined || object.metadata.uid !== read.metadata.uid) return;
      if (!sameValue(object.status, read.status)) throw superseded(kind, key);
      const { resourceVersion } = object.metadata;
      await report(kind, { key, uid, resourceVersion, signal }, status, []);
    });
  };
}
