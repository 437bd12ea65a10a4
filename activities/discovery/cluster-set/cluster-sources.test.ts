import { describe, expect, it } from 'vitest';
import type { ClusterSetSpec, Generator } from '../../../crds/cluster-set.ts';
import { accessOf } from '../../../domain/access/access.ts';
import { generatorRefusal } from '../../../domain/discovery/cluster-set/cluster-set-access.ts';
import { decideClusterSet } from '../../../domain/discovery/cluster-set/cluster-set.ts';
import {
  createClusterSources,
  readGenerator,
  type ClusterSources,
  type SourceReading,
} from './cluster-sources.ts';

// A provider takes its settings in the schema, and an entry among the sources.
const spec = {
  generators: [
    {
      clusterAPI: {
        selector: { matchTags: { env: 'prod' } },
        roleARN: 'arn:aws:iam::1:role/a',
        home: 'capi',
      },
    },
  ],
} as unknown as ClusterSetSpec;
const [generator] = spec.generators as [Generator];
const clusterAPI = {
  read: ({ home }: { readonly home: string }): Promise<SourceReading> =>
    Promise.resolve({
      places: ['capi/'],
      clusters: ['prod', 'test'].map((env) => ({
        id: `capi/${env}`,
        name: env,
        tags: { env },
        state: 'Active' as const,
        said: 'Provisioned',
        access: { server: `https://${env}.${home}`, config: '{}' },
      })),
      unread: [],
    }),
};
const eks = () => {
  throw new Error('EKS is not asked');
};
const sources = { ...createClusterSources({ eks }), clusterAPI } as ClusterSources;

describe('a provider of clusters with settings and a source', () => {
  const read = () => readGenerator(sources, generator, { signal: new AbortController().signal, known: [] });

  it('is read by its own settings, and its clusters that are selected get a secret', async () => {
    const reading = { ...(await read()), failures: [] };
    const grace = { before: [], now: 0, seconds: 60 };
    const { create, problems } = decideClusterSet({
      uid: 'u',
      spec,
      readings: [reading],
      secrets: [],
      grace,
    });
    expect(problems).toEqual([]);
    expect(create).toMatchObject([{ name: 'prod', content: { server: 'https://prod.capi' } }]);
  });

  it('is refused the role that no AccessPolicy allows', () => {
    const access = accessOf('shop', [{ metadata: { name: 'shop' }, spec: { namespaces: ['shop'] } }]);
    expect(generatorRefusal(generator, access)).toContain('arn:aws:iam::1:role/a');
  });

  it('that has no source is not read', async () => {
    await expect(
      readGenerator(createClusterSources({ eks }), generator, {
        signal: new AbortController().signal,
        known: [],
      }),
    ).rejects.toThrow('there is no source for it');
  });
});
