import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import type { Informed } from '../../watchers/event.ts';
import { runInformer } from '../../watchers/informer/informer.ts';
import { refused } from './exit.ts';
import { troubleLog } from './trouble-log.ts';

/** Until when something is waited for, and who is told what keeps one from seeing it. */
export interface Waiting {
  readonly signal: AbortSignal;
  /** Told why it cannot be watched, which is tried again, and with undefined when that is over. */
  readonly trouble: (why: string | undefined) => void;
}

const FORBIDDEN = 403;

/**
 * Watches an object until something holds of it; undefined when it is deleted before. Throws the reason of the signal, and
 * where it may not be looked at in the first place.
 */
export async function untilHolds<T extends Informed>(
  kubernetes: KubernetesClient,
  { kind, key }: { readonly kind: KindRef; readonly key: ObjectKey },
  holds: (object: T) => boolean,
  { signal, trouble }: Waiting,
): Promise<T | undefined> {
  const done = new AbortController();
  let found: T | undefined;
  let isListed = false;
  let isThere = false;
  let forbidden: string | undefined;
  await runInformer<T>({
    kubernetes,
    kind,
    namespace: key.namespace,
    signal: AbortSignal.any([signal, done.signal]),
    log: troubleLog((why, status) => {
      if (isListed || status !== FORBIDDEN) return trouble(why);
      forbidden = why;
      done.abort();
    }),
    onSynced: () => {
      isListed = true;
      if (!isThere) done.abort();
    },
    onEvent: ({ type, object }) => {
      if (object.metadata.name !== key.name) return;
      isThere = true;
      if (type === 'delete') done.abort();
      else if (holds(object)) {
        found = object;
        done.abort();
      }
    },
  });
  signal.throwIfAborted();
  if (forbidden !== undefined)
    throw refused(
      `Expected to be let list and watch ${kind.plural} in namespace ${key.namespace}, to wait for ${key.name}, got no from Kubernetes: ${forbidden}. Have a role with these verbs bound to you. ${kind.kind} ${key.name} is there all the same.`,
    );
  return found;
}
