import { beforeEach, describe, expect, it } from 'vitest';
import type { EKSCluster } from '../../clients/aws/eks.ts';
import { APPLICATION, SECRET } from '../../clients/kubernetes/kinds.ts';
import type { ObservedRevision } from '../../domain/applications/observation.ts';
import { MemoryKubernetes } from '../staged/testing/memory.ts';
import type { ApplicationsDependencies, ReadCell } from './dependencies.ts';
import { applySecrets, deleteSecrets, deleteUnused, findSecrets, removeLabels } from './secrets.ts';

const key = { namespace: 'argocd', name: 'mysystem' };
const at = { namespace: 'argocd', name: 'eks-web-1' };

const eks: EKSCluster = {
  name: 'eks-web-1',
  arn: 'arn:aws:eks:eu-central-1:111111111111:cluster/eks-web-1',
  region: 'eu-central-1',
  status: 'ACTIVE',
  endpoint: 'https://c1.example.com',
  caData: 'Y2E=',
  tags: {},
};
const cluster = {
  name: 'web-1',
  eksName: 'eks-web-1',
  server: 'https://c1.example.com',
  certificateAuthority: 'Y2E=',
  secretName: 'eks-web-1',
};

const revision = (application: string, server = cluster.server): ObservedRevision => ({
  number: 1,
  hash: 'h',
  version: '1',
  isGood: false,
  content: {
    clusters: [{ ...cluster, server }],
    secretLabels: { [`myservice-${application}`]: 'yes' },
    targetGroups: [],
    application: { name: application },
  },
});

describe('the cluster secrets of a Cell', () => {
  let memory: MemoryKubernetes;
  beforeEach(() => {
    memory = new MemoryKubernetes();
  });

  const dependencies = (found: readonly EKSCluster[] = [eks]): ApplicationsDependencies =>
    ({
      kubernetes: memory.client,
      region: 'eu-central-1',
      eks: () => ({ named: () => Promise.resolve({ clusters: found, denied: [] }) }),
    }) as unknown as ApplicationsDependencies;
  const apply = (application: string, of = revision(application), found?: readonly EKSCluster[]) =>
    applySecrets(key, of, dependencies(found), new AbortController().signal);
  const observed = async () =>
    (await findSecrets(memory.client, key, [cluster])).map((secret) => secret.observed);

  const readCell = (applications: readonly object[]) =>
    ({ key, uid: 'uid', spec: { applications, clusters: [] } }) as unknown as ReadCell;
  const unused = (applications: readonly object[] = []) =>
    deleteUnused(memory.client, readCell(applications));

  it('are shared by the applications of a cluster, and go with the last of them', async () => {
    await apply('web');
    await apply('api');
    expect(await observed()).toMatchObject([
      {
        name: 'eks-web-1',
        isOwn: true,
        isIntact: true,
        applications: { web: { 'myservice-web': 'yes' }, api: { 'myservice-api': 'yes' } },
      },
    ]);
    await removeLabels(memory.client, key, 'web', [cluster]);
    expect((await observed())[0]?.applications).toHaveProperty('web');
    await removeLabels(memory.client, key, 'web', []);
    expect(await observed()).toMatchObject([{ isIntact: true, applications: { api: {} } }]);
    await removeLabels(memory.client, key, 'api', []);
    expect(await observed()).toMatchObject([{ isIntact: true, applications: {} }]);
    expect(await unused()).toEqual([]);
    expect(await observed()).toEqual([]);
  });

  it('go with the last application only when Argo CD has nothing left there', async () => {
    await apply('web');
    expect(await unused()).toEqual([]);
    expect(await observed()).toHaveLength(1);
    await removeLabels(memory.client, key, 'web', []);
    const { client } = memory;
    const argo = { apiVersion: 'argoproj.io/v1alpha1' };
    const deployed = { ...argo, kind: 'Application' };
    const set = (name: string) =>
      client.create({ ...argo, kind: 'ApplicationSet', metadata: { ...key, name, uid: '' } });
    const [own, other] = [await set('web'), await set('addons')];
    const on = (name: string, uid: string | undefined, more: object = {}) => ({
      ...deployed,
      metadata: { ...key, name, ...(uid === undefined ? {} : { ownerReferences: [{ uid }] }), ...more },
      spec: { destination: { server: cluster.server } },
    });
    await client.create(on('addons-1', other.metadata.uid) as never);
    await client.create(on('by-hand', undefined) as never);
    const left = async (argocd: object) =>
      (await unused([{ name: 'web', argocd }])).map((one) => one.split(' for ')[0]);
    const named = { applicationSet: { name: 'web' } };
    for (const one of [
      on('web-1', own.metadata.uid),
      on('leaving', undefined, { deletionTimestamp: 'now' }),
    ]) {
      await client.create(one as never);
      expect(await left(named)).toEqual([`Application ${one.metadata.name}`]);
      await client.delete(APPLICATION, { ...key, name: one.metadata.name });
    }
    expect(await left({})).toEqual(['Application addons-1']);
    expect(await observed()).toHaveLength(1);
    expect(await left(named)).toEqual([]);
    expect(await observed()).toEqual([]);
  });

  it('lose their labels before a Cell that is deleted deletes them', async () => {
    await apply('web');
    const server = { destination: { name: 'eks-web-1' } };
    const metadata = { ...key, name: 'web-1', deletionTimestamp: 'now' };
    const application = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', metadata, spec: server };
    await memory.client.create(application);
    const gone = () => deleteSecrets(memory.client, readCell([{ name: 'web' }]));
    expect(await gone()).toMatchObject([expect.stringContaining('Application web-1')]);
    expect(await observed()).toMatchObject([{ isIntact: true, applications: {} }]);
    await memory.client.delete(APPLICATION, { ...key, name: 'web-1' });
    expect(await gone()).toEqual([]);
    expect(await observed()).toEqual([]);
  });

  it('are not written again when they say all that they should', async () => {
    await apply('web');
    const before = await memory.client.get(SECRET, at);
    await apply('web');
    expect(await memory.client.get(SECRET, at)).toEqual(before);
  });

  it('are left alone where the secret is that of someone else', async () => {
    const labels = { 'argocd.argoproj.io/secret-type': 'cluster' };
    const foreign = { apiVersion: 'v1', kind: 'Secret', metadata: { ...at, labels } };
    await memory.client.create(foreign);
    await expect(apply('web')).rejects.toMatchObject({ type: 'Conflict', nonRetryable: true });
    await removeLabels(memory.client, key, 'web', []);
    expect(await observed()).toMatchObject([{ isOwn: false }]);
    expect(await memory.client.get(SECRET, at)).toMatchObject({ metadata: { labels } });
  });

  it.each([
    ['names another endpoint than the revision', [{ ...eks, endpoint: 'https://other.example.com' }]],
    ['gives another CA', [{ ...eks, caData: 'b3RoZXI=' }]],
    ['has no such cluster any more', []],
  ])('are not written when EKS %s', async (_, found) => {
    await expect(apply('web', revision('web'), found)).rejects.toMatchObject({ type: 'Conflict' });
    expect(await observed()).toEqual([]);
  });
});
