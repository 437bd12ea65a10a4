import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { createLog } from '../../clients/log.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import type { Informed } from '../../watchers/event.ts';
import { runInformer } from '../../watchers/informer/informer.ts';

/** Watches an object until something holds of it; undefined when it is deleted before. Throws the reason of the signal. */
export async function untilHolds<T extends Informed>(
  kubernetes: KubernetesClient,
  { kind, key }: { readonly kind: KindRef; readonly key: ObjectKey },
  holds: (object: T) => boolean,
  signal: AbortSignal,
): Promise<T | undefined> {
  const done = new AbortController();
  let found: T | undefined;
  await runInformer<T>({
    kubernetes,
    kind,
    namespace: key.namespace,
    signal: AbortSignal.any([signal, done.signal]),
    // What fails is tried again, and nobody else can be told.
    log: createLog('silent'),
    onSynced: () => undefined,
    onEvent: ({ type, object }) => {
      if (object.metadata.name !== key.name) return;
      if (type === 'delete') done.abort();
      else if (holds(object)) {
        found = object;
        done.abort();
      }
    },
  });
  signal.throwIfAborted();
  return found;
}
