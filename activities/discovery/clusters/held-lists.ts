import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import { tooMuchListed } from '../../../clients/kubernetes/kubernetes-error.ts';
import type { SnapshotOptions } from '../../../clients/kubernetes/kubernetes-list.ts';
import type { KindRef } from '../../../clients/kubernetes/kinds.ts';
import { HELD } from '../../../clients/kubernetes/limits.ts';
import { createAccount, type Tenant } from '../../../clients/kubernetes/tenant-account.ts';
import type { Patience } from './latecomers.ts';

/** What a sync holds of what it reads in clusters, until it is disposed of. */
export interface HeldLists extends Disposable {
  /** Reads in a cluster as long as what the clusters of its namespace have said, and is held, is not too much. */
  read<T>(
    of: { readonly tenant: Tenant; readonly client: KubernetesClient },
    read: (client: KubernetesClient) => Promise<T>,
  ): Promise<T>;
}

/** Makes the count of what all syncs of a process hold at once, so that no namespace takes up the memory of all others. */
export function heldLists({ waitMilliseconds, keepMilliseconds }: Patience, limits = HELD): () => HeldLists {
  const account = createAccount(limits);
  return () => {
    const over = Promise.withResolvers<undefined>();
    return {
      [Symbol.dispose]: () => over.resolve(undefined),
      async read({ tenant, client }, read) {
        let held = 0;
        const measured = (_: unknown, characters: number): void => {
          const size = EACH + characters;
          const full = account.full(tenant, size);
          if (full !== undefined) throw tooMuchListed(full);
          account.add(tenant, size);
          held += size;
        };
        const list = <T>(kind: KindRef, options?: SnapshotOptions<T>): Promise<T[]> =>
          client.list<T>(kind, { ...options, measured });
        const release = (): void => account.add(tenant, -held);
        const begunAt = performance.now();
        try {
          return await read({ ...client, list });
        } finally {
          // What is late is kept for the next sync.
          const isLate = performance.now() - begunAt >= waitMilliseconds;
          void over.promise.then(() =>
            isLate ? void setTimeout(release, keepMilliseconds).unref() : release(),
          );
        }
      },
    };
  };
}

// What an object takes up beside what it says.
const EACH = 500;
