import { describe, expect, it } from 'vitest';
import { NODE } from '../../../clients/kubernetes/kinds.ts';
import type { SnapshotOptions } from '../../../clients/kubernetes/kubernetes-list.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import { heldLists, type HeldLists } from './reader.ts';

/** A client whose lists are one object of so many characters, when they are to answer. */
const clientOf = (characters: number, when: Promise<void> = Promise.resolve()): KubernetesClient => {
  const client: Pick<KubernetesClient, 'list'> = {
    list: async <T>(_kind: unknown, { measured }: SnapshotOptions<T> = {}) => {
      await when;
      measured?.({} as T, characters);
      return [];
    },
  };
  return client as KubernetesClient;
};
const tenantOf = (namespace: string, cluster: string) => ({ namespace, cluster, name: cluster });
const read = (
  sync: HeldLists,
  { namespace = 'shop', cluster = 'c1', client = clientOf(1_500) } = {},
): Promise<unknown> => sync.read({ tenant: tenantOf(namespace, cluster), client }, (own) => own.list(NODE));
const TOO_MUCH = { reason: 'TooMuchHeld' };

describe('what syncs hold of what they read in clusters', () => {
  const patience = { waitMilliseconds: 60_000, keepMilliseconds: 60_000 };
  const limits = { cluster: 4_000, namespace: 6_000 };

  it('is bounded for each cluster and for each namespace, in all syncs together, and for no other namespace', async () => {
    const begin = heldLists(patience, limits);
    const [one, other] = [begin(), begin()];
    await read(one);
    await read(other);
    await expect(read(other)).rejects.toMatchObject(TOO_MUCH);
    await read(other, { cluster: 'c2' });
    await expect(read(one, { cluster: 'c3' })).rejects.toMatchObject({
      ...TOO_MUCH,
      message:
        'Expected to hold at most 6000 characters at once of what is read in the clusters of namespace shop, got more. Look for objects that do not belong there, or name fewer clusters.',
    });
    await read(one, { namespace: 'bank', cluster: 'b1' });
  });

  it('counts no more when the sync is over', async () => {
    const begin = heldLists(patience, limits);
    for (let syncs = 0; syncs < 10; syncs += 1) {
      using sync = begin();
      await read(sync);
      await read(sync);
    }
  });

  it('counts until the next sync has had the time to take it, where it was late', async () => {
    const begin = heldLists({ waitMilliseconds: 0, keepMilliseconds: 60_000 }, limits);
    {
      using sync = begin();
      await read(sync);
      await read(sync);
    }
    using next = begin();
    await expect(read(next)).rejects.toMatchObject(TOO_MUCH);
  });
});
