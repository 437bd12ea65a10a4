import { describe, expect, it } from 'vitest';
import { MemoryKubernetes } from '../staged/testing/memory.ts';
import { lookAtClusters } from './clusters.ts';
import type { ApplicationsDependencies, ReadCell } from './dependencies.ts';

const key = { namespace: 'default', name: 'mysystem' };
const clusters = ['web-v1', 'web-v2'].map((name) => ({ name, requireReady: true }));
const spec = { clusters, applications: [], replicas: 1, minHealthyTargets: 1, healthTimeout: '10m' };

const meansWith = (named: () => Promise<never>): ApplicationsDependencies =>
  ({
    kubernetes: new MemoryKubernetes().client,
    region: 'eu-central-1',
    eks: () => ({ named }),
  }) as unknown as ApplicationsDependencies;

describe('the clusters of a Cell with applications', () => {
  it('are not known while EKS does not answer, which keeps nobody from looking at the rest', async () => {
    const dependencies = meansWith(() => Promise.reject(new Error('EKS is down.')));
    const looked = await lookAtClusters({ key, spec }, dependencies, new AbortController().signal);
    expect(looked.map(({ observed }) => observed)).toEqual(
      clusters.map(({ name }) => ({ name, tags: {}, isReady: false, message: 'EKS is down.' })),
    );
  });

  it('are not looked at any more by an attempt that was given up', async () => {
    const signal = AbortSignal.abort();
    const dependencies = meansWith(() => Promise.reject(new Error('aborted')));
    await expect(lookAtClusters({ key, spec }, dependencies, signal)).rejects.toThrow('abort');
  });
});

/** What a look at a cluster says of it that EKS describes so. */
async function lookAtOne(eks: object | undefined, reached: object) {
  const named = () =>
    Promise.resolve({
      clusters: eks === undefined ? [] : [{ name: 'web-v1', tags: {}, ...eks }],
      denied: [],
    });
  const dependencies = {
    kubernetes: new MemoryKubernetes().client,
    region: 'eu-central-1',
    eks: () => ({ named }),
    clusters: { reach: () => reached },
  } as unknown as ApplicationsDependencies;
  const of = { key, spec: { ...spec, clusters: clusters.slice(0, 1) } };
  const [looked] = await lookAtClusters(of, dependencies, new AbortController().signal);
  return looked?.observed;
}

const client = (isReady: () => Promise<boolean>) => ({ is: 'Client', client: { isReady } });
const ready = client(() => Promise.resolve(true));
const active = {
  arn: 'arn',
  region: 'eu-central-1',
  status: 'ACTIVE',
  endpoint: 'https://web-v1',
  caData: 'CA',
};

describe('a cluster', () => {
  it('is ready when it is ACTIVE and its API server says so', async () => {
    expect(await lookAtOne(active, ready)).toMatchObject({ isReady: true });
  });

  it.each([
    ['when EKS does not have it', undefined, ready, 'EKS cluster web-v1 not found'],
    ['while it is being created', { ...active, status: 'CREATING' }, ready, 'is CREATING, and not ACTIVE'],
    ['before EKS names its API server', { ...active, endpoint: undefined }, ready, 'does not say yet'],
    ['while its API server is not ready', active, client(() => Promise.resolve(false)), '/readyz'],
    ['while nobody reaches it', active, client(() => Promise.reject(new Error('no route'))), 'no route'],
    ['without a way to it', active, { is: 'Problem', problem: 'no login' }, 'no login'],
  ])('is not ready %s', async (_, eks, reached, said) => {
    const looked = await lookAtOne(eks, reached);
    expect(looked).toMatchObject({ isReady: false });
    expect(looked?.message).toContain(said);
  });
});

const arnOf = (name: string, region = 'eu-central-1'): string =>
  `arn:aws:eks:${region}:111122223333:cluster/${name}`;

/** What a Cell of the namespace shop is told of clusters, and which of them EKS is asked about; it has bank-prod. */
async function told(allowed: readonly string[], names: readonly string[]) {
  const policy = { metadata: { name: 'shop' }, spec: { namespaces: ['shop'], clusters: allowed } };
  const kubernetes = { list: () => Promise.resolve([policy]) };
  const asked: string[] = [];
  const named = (some: readonly string[]) => {
    asked.push(...some);
    const there = some.filter((name) => name === 'bank-prod' || name === 'shop-prod');
    const found = there.map((name) => ({
      name,
      arn: arnOf(name),
      region: 'eu-central-1',
      status: 'CREATING',
      tags: {},
    }));
    return Promise.resolve({ clusters: found, denied: [] });
  };
  const dependencies = { kubernetes, region: 'eu-central-1', eks: () => ({ named }) };
  const of = { key: { namespace: 'shop', name: 'web' }, spec: { clusters: names.map((name) => ({ name })) } };
  const looked = await lookAtClusters(
    of as unknown as ReadCell,
    dependencies as unknown as ApplicationsDependencies,
    new AbortController().signal,
  );
  return { asked, messages: looked.map(({ observed }) => observed.message) };
}

describe('clusters that an AccessPolicy keeps from a namespace', () => {
  it('are not asked about, so that nobody learns which there are', async () => {
    const { asked, messages } = await told([arnOf('shop-*')], ['bank-prod', 'bank-none', 'shop-prod']);
    expect(asked).toEqual(['shop-prod']);
    expect(messages.map((message) => message.replaceAll(/bank-(prod|none)/g, 'X'))).toEqual([
      messages[0]?.replace('bank-prod', 'X'),
      messages[0]?.replace('bank-prod', 'X'),
      'EKS cluster shop-prod is CREATING, and not ACTIVE.',
    ]);
    expect(messages[1]).toContain('lets namespace shop use EKS cluster bank-none');
  });
});
