import { beforeEach, describe, expect, it } from 'vitest';
import type { EKSCluster } from '../../clients/aws/eks.ts';
import { SECRET } from '../../clients/kubernetes/kinds.ts';
import type { ObservedRevision } from '../../domain/applications/observation.ts';
import { MemoryKubernetes } from '../staged/testing/memory.ts';
import type { ApplicationsDependencies } from './dependencies.ts';
import { applySecrets, findSecrets, removeSecrets } from './secrets.ts';

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

  const means = (found: readonly EKSCluster[] = [eks]): ApplicationsDependencies =>
    ({
      kubernetes: memory.client,
      region: 'eu-central-1',
      eks: () => ({ named: () => Promise.resolve({ clusters: found, denied: [] }) }),
    }) as unknown as ApplicationsDependencies;
  const apply = (application: string, of = revision(application), found?: readonly EKSCluster[]) =>
    applySecrets(key, { application, revision: of }, means(found), new AbortController().signal);
  const observed = async () =>
    (await findSecrets(memory.client, key, [cluster])).map((secret) => secret.observed);

  it('are shared by the applications of a cluster, and go with the last of them', async () => {
    await apply('web');
    await apply('api');
    expect(await observed()).toMatchObject([
      {
        name: 'eks-web-1',
        cluster: 'web-1',
        isOwn: true,
        isIntact: true,
        applications: { web: { 'myservice-web': 'yes' }, api: { 'myservice-api': 'yes' } },
      },
    ]);
    await removeSecrets(memory.client, key, { application: 'web', keep: [cluster] });
    expect((await observed())[0]?.applications).toHaveProperty('web');
    await removeSecrets(memory.client, key, { application: 'web', keep: [] });
    expect(await observed()).toMatchObject([{ isIntact: true, applications: { api: {} } }]);
    await removeSecrets(memory.client, key, { application: 'api', keep: [] });
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
    await removeSecrets(memory.client, key, { application: 'web', keep: [] });
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
