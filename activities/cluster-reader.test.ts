import { describe, expect, it } from 'vitest';
import type { KubernetesClient } from '../clients/kubernetes.ts';
import type { RemoteClusters, StoredClusterSecret } from '../clients/remote-clusters.ts';
import { clusterReader, type ReadableClusters, type RemoteReading } from './cluster-reader.ts';

const secret: StoredClusterSecret = {
  metadata: { namespace: 'shop', name: 'cdk1', uid: 'u', resourceVersion: '1' },
};
const remote = { secret, cluster: { secret: 'cdk1', name: 'cdk1', labels: {} } };
// Nothing is sent: each reading is played by the test.
const client = {} as KubernetesClient;
const clusters: RemoteClusters = {
  reach: () => ({ is: 'Client', name: 'cdk1', namespaces: [], client }),
  keep: () => undefined,
};

describe('a reading that is late', () => {
  const never = (): Promise<string> => new Promise(() => undefined);
  const read =
    (begin: () => Promise<string>) =>
    (readable: ReadableClusters): Promise<RemoteReading<string>> =>
      readable.read(remote, 'all', begin);

  /** A reader that was too late in turn 1, and has the answer by now. */
  const afterFirstTurn = async () => {
    const reader = clusterReader({ kubernetes: client, clusters });
    const first = Promise.withResolvers<string>();
    const outcome = await reader.take(
      { run: 'run', number: 1 },
      read(() => first.promise),
    );
    expect(outcome).toMatchObject({ ok: false, reason: 'ClusterSlow', isLate: true });
    first.resolve('at last');
    await first.promise;
    return reader;
  };

  it('stands for the next turn', async () => {
    const reader = await afterFirstTurn();
    const outcome = await reader.take({ run: 'run', number: 2 }, read(never));
    expect(outcome).toEqual({ ok: true, value: 'at last', isLate: true });
  });

  it.each([
    ['when another process took a turn between', { run: 'run', number: 3 }],
    ['in another run', { run: 'another', number: 2 }],
    ['when the same turn is taken again', { run: 'run', number: 1 }],
  ])('is forgotten %s', async (_, turn) => {
    const reader = await afterFirstTurn();
    expect(await reader.take(turn, read(never))).toMatchObject({ ok: false, reason: 'ClusterSlow' });
  });

  it('is forgotten after a turn that has failed, because it may be taken again elsewhere', async () => {
    const reader = await afterFirstTurn();
    const failing = reader.take({ run: 'run', number: 2 }, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    const outcome = await reader.take({ run: 'run', number: 3 }, read(never));
    expect(outcome).toMatchObject({ ok: false, reason: 'ClusterSlow' });
  });
});
