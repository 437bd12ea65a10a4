import { describe, expect, it } from 'vitest';
import type { SourcedCluster } from '../../../domain/discovery/cluster-set/cluster-set.ts';
import { withHeartbeat } from '../../heartbeat.ts';
import {
  CLUSTER_ID_ANNOTATION,
  SECRET_TYPE_CLUSTER,
  SECRET_TYPE_LABEL,
} from '../../../domain/kubernetes/labels.ts';
import { asActivity, Objects, type Stored } from '../../checks/testing/objects.ts';
import { clusterSetActivities } from './cluster-set.ts';

const key = { namespace: 'shop', name: 'all' };
const account = 'arn:aws:eks:eu-central-1:111122223333:cluster/';

const aCluster = (name: string, of: string): SourcedCluster => ({
  id: `${account}${name}`,
  name,
  tags: { of },
  state: 'Active',
  said: 'ACTIVE',
  access: { server: `https://${name}.eks.amazonaws.com`, config: '{}' },
});

/** Syncs a ClusterSet that selects the clusters of the shop; says which secrets it asked for by name, and its status. */
async function synced(clusters: readonly SourcedCluster[], ...others: readonly Stored[]) {
  const objects = new Objects();
  const selector = { matchTags: { of: 'shop' } };
  objects.put({
    kind: 'ClusterSet',
    metadata: { ...key, uid: 'uid', generation: 1 },
    spec: { generators: [{ awseks: { region: 'eu-central-1', selector } }] },
  });
  for (const other of others) objects.put(other);
  const client = objects.client();
  const asked: string[] = [];
  const looked: string[] = [];
  const kubernetes: typeof client = {
    ...client,
    get: (kind, { name, namespace }, options) => {
      if (kind.kind === 'Secret') asked.push(name);
      return client.get(kind, { name, ...(namespace === undefined ? {} : { namespace }) }, options);
    },
  };
  const { syncClusterSet } = clusterSetActivities({
    kubernetes,
    readClusters: (_settings, _signal, known) => {
      looked.push(...known);
      return Promise.resolve({ clusters, places: [account], unread: [] });
    },
    graceSeconds: 60,
  });
  await asActivity(() => withHeartbeat(() => syncClusterSet(key)));
  return { asked, looked, secrets: objects.of('Secret'), status: objects.status('ClusterSet', 'all') };
}

const timeless = (status: object): string =>
  JSON.stringify(status).replaceAll(/\d{4}-\d{2}-\d{2}T[^"]*Z/g, '');

describe('the sync of a ClusterSet', () => {
  it('asks for the secrets of the clusters that it selects, and of no other', async () => {
    const { asked, secrets } = await synced([
      aCluster('Shop_1', 'shop'),
      aCluster('bank-1', 'bank'),
      aCluster('shop-2', 'shop'),
    ]);
    expect(asked).toEqual(['shop-1', 'shop-2']);
    expect(secrets.map(({ metadata }) => metadata.name)).toEqual(['shop-1', 'shop-2']);
  });

  it('is well where an AccessPolicy names all clusters that it selects, whatever others there are', async () => {
    const policy = {
      kind: 'AccessPolicy',
      metadata: { name: 'shop' },
      spec: { namespaces: ['shop'], clusters: [`${account}shop-1`] },
    };
    const clusters = [aCluster('shop-1', 'shop'), aCluster('bank-1', 'bank'), aCluster('bank-2', 'bank')];
    const { status } = await synced(clusters, policy);
    expect(status).toMatchObject({ phase: 'Synced', clusters: { names: ['shop-1'] } });
    const more = await synced([...clusters, aCluster('shop-2', 'shop')], policy);
    expect(more.status).toMatchObject({
      phase: 'Degraded',
      problems: [{ reason: 'NotAllowed', message: expect.stringContaining('use 1 of the EKS clusters') }],
    });
  });

  it('tells nobody whether a cluster exists that the namespace may not use, by a secret made by hand', async () => {
    const policy = {
      kind: 'AccessPolicy',
      metadata: { name: 'shop' },
      spec: { namespaces: ['shop'], clusters: [`${account}shop-*`] },
    };
    const secret = {
      kind: 'Secret',
      metadata: {
        name: 'bank-1',
        namespace: 'shop',
        uid: 'by-hand',
        labels: { [SECRET_TYPE_LABEL]: SECRET_TYPE_CLUSTER },
        annotations: { [CLUSTER_ID_ANNOTATION]: `${account}bank-1` },
        ownerReferences: [
          {
            apiVersion: 'okra.mumo.co/v1alpha1',
            kind: 'ClusterSet',
            name: 'all',
            uid: 'uid',
            controller: true,
          },
        ],
      },
      data: {},
    };
    const shops = [aCluster('shop-1', 'shop')];
    const without = await synced(shops, policy, secret);
    const { clusters, problems, missing } = without.status;
    expect(clusters).toEqual({ names: ['bank-1', 'shop-1'] });
    expect(problems).toMatchObject([
      { reason: 'NotAllowed', message: expect.stringContaining('use the EKS clusters of 1 Secrets') },
    ]);
    expect(missing).toBeUndefined();
    const withIt = await synced([...shops, aCluster('bank-1', 'bank')], policy, secret);
    expect(timeless(withIt.status)).toEqual(timeless(without.status));
    expect([without.looked, withIt.looked]).toEqual([[], []]);
  });
});
