import { describe, expect, it } from 'vitest';
import { clusters, web } from '../../domain/applications/testing/applications.ts';
import { MemoryKubernetes } from '../staged/testing/memory.ts';
import type { ApplicationsDependencies } from './dependencies.ts';
import { observeApplications } from './observe.ts';

const key = { namespace: 'default', name: 'mysystem' };

describe('a look at a Cell with applications without EKS and the clusters', () => {
  it('asks neither, and says so', async () => {
    const { client } = new MemoryKubernetes();
    await client.create({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'Cell',
      metadata: key,
      spec: { clusters: clusters('web-v1'), applications: [web()] },
    } as never);
    const asked = (): never => {
      throw new Error('Expected nobody to be asked.');
    };
    const means = { kubernetes: client, region: 'eu-central-1', eks: asked, clusters: { reach: asked } };
    const observed = await observeApplications(key, means as unknown as ApplicationsDependencies, {
      signal: new AbortController().signal,
      withoutClusters: true,
    });
    expect(observed).toMatchObject({
      isWithoutClusters: true,
      cell: { isDeleting: false },
      clusters: [{ name: 'web-v1', isReady: false }],
      applications: [{ name: 'web', resolved: { ok: false } }],
    });
  });
});
