import { describe, expect, it } from 'vitest';
import { MemoryKubernetes } from '../staged/testing/memory.ts';
import { lookAtClusters } from './clusters.ts';
import type { ApplicationsDependencies } from './dependencies.ts';

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
    const means = meansWith(() => Promise.reject(new Error('EKS is down.')));
    const looked = await lookAtClusters({ key, spec }, means, new AbortController().signal);
    expect(looked.map(({ observed }) => observed)).toEqual(
      clusters.map(({ name }) => ({ name, tags: {}, isReady: false, message: 'EKS is down.' })),
    );
  });

  it('are not looked at any more by an attempt that was given up', async () => {
    const signal = AbortSignal.abort();
    const means = meansWith(() => Promise.reject(new Error('aborted')));
    await expect(lookAtClusters({ key, spec }, means, signal)).rejects.toThrow('abort');
  });
});
