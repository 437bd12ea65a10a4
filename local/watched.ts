import type { KindRef } from '../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../clients/kubernetes/kubernetes.ts';
import { createLog } from '../clients/log.ts';
import type { Informed } from '../watchers/event.ts';
import { runInformer } from '../watchers/informer/informer.ts';

/** Objects of a kind, as they come and change. */
export interface Watched<T> extends AsyncDisposable {
  /** By name. */
  readonly objects: ReadonlyMap<string, T>;
  /** Waits until something holds of them; answers with the time of the clock then. */
  until(holds: (objects: ReadonlyMap<string, T>) => boolean, expectation: () => string): Promise<number>;
  /** When one has come, changed or gone last, by the clock. */
  changedAt(): number;
  /** How often one has come, changed or gone so far. */
  changes(): number;
}

/** What is watched, and how. */
export interface Watching {
  readonly kubernetes: KubernetesClient;
  readonly kind: KindRef;
  /** All namespaces, or a kind without them, when undefined. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly signal: AbortSignal;
  /** How long is waited for something at most. */
  readonly longestMilliseconds?: number;
  readonly clock?: () => number;
}

const LONGEST_MS = 120_000;

// A local API server that was ended comes back soon.
const backoff = { first: 100, longest: 1000 };

/** Begins to watch; a watch tells when something came without asking again and again, which is work for all servers of the machine. */
export function watchObjects<T extends Informed>(watching: Watching): Watched<T> {
  const { kubernetes, kind, namespace, labelSelector } = watching;
  const { longestMilliseconds = LONGEST_MS, clock = Date.now } = watching;
  const objects = new Map<string, T>();
  const waiting = new Set<() => void>();
  const stop = new AbortController();
  const signal = AbortSignal.any([watching.signal, stop.signal]);
  let changedAt = clock();
  let changes = 0;
  const ended = runInformer<T>({
    kubernetes,
    kind,
    namespace,
    labelSelector,
    log: createLog('silent'),
    signal,
    timing: { backoff },
    onSynced: () => undefined,
    onEvent: ({ type, object }) => {
      changedAt = clock();
      changes += 1;
      if (type === 'delete') objects.delete(object.metadata.name);
      else objects.set(object.metadata.name, object);
      for (const look of waiting) look();
    },
  });
  return {
    objects,
    changedAt: () => changedAt,
    changes: () => changes,
    async until(holds, expectation) {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const late = AbortSignal.any([signal, AbortSignal.timeout(longestMilliseconds)]);
      const look = (): void => void (holds(objects) && resolve(clock()));
      const giveUp = (): void =>
        void Promise.resolve()
          .then(expectation)
          .then((expected) => reject(new Error(expected)), reject);
      waiting.add(look);
      late.addEventListener('abort', giveUp, { once: true });
      look();
      try {
        return await promise;
      } finally {
        waiting.delete(look);
        late.removeEventListener('abort', giveUp);
      }
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await ended;
    },
  };
}
