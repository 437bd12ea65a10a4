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
