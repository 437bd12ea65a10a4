import { describe, expect, it } from 'vitest';
import type { SeenCluster } from './binding-ids.ts';
import { endedOf } from './ended-targets.ts';
import type { ObservedBinding } from './target-group-binding.ts';

const target = { name: 'pods', port: 80, clusterSelector: {}, podSelector: {} };
const byCluster = [{ cluster: 'c1', id: 'id-1', ids: ['10.0.0.1'] }];
const known = { name: 'pods', port: 80, ids: ['10.0.0.1'], byCluster };
const pod = {
  namespace: 'shop',
  name: 'p',
  labels: {},
  address: '10.0.0.1',
  isReady: true,
  isEnding: false,
};
const node = { name: 'n', labels: {}, isReady: true, isDeleting: false };
const cluster = (pods: readonly (typeof pod)[], more: Partial<SeenCluster> = {}): SeenCluster => ({
  name: 'c1',
  id: 'id-1',
  labels: {},
  what: 'pods/shop',
  seen: { ok: true, nodes: [], pods },
  ...more,
});
const empty = cluster([]);

describe('a target that is to go', () => {
  it.each<[string, Partial<ObservedBinding>, boolean]>([
    ['has ended when its cluster has it no more', { clusters: [empty] }, true],
    ['has ended when its pod is ending', { clusters: [cluster([{ ...pod, isEnding: true }])] }, true],
    ['has not when its pod has other labels by now', { clusters: [cluster([pod])] }, false],
    ['may be there when its cluster is not looked into', { clusters: [] }, false],
    [
      'may be there when its cluster cannot be read',
      { clusters: [cluster([], { seen: { ok: false, reason: 'ClusterSlow', message: '' } })] },
      false,
    ],
    [
      'may be there when another cluster has got the name',
      { clusters: [cluster([], { id: 'id-2' })] },
      false,
    ],
    [
      'may be there when only something else was read of its cluster',
      { clusters: [cluster([], { what: 'nodes' })] },
      false,
    ],
    ['may be there when nobody knows its name', { clusters: [empty], targets: [] }, false],
    [
      'may be there when nobody knows its cluster any more',
      { clusters: [empty], ours: [{ ...known, byCluster: [] }] },
      false,
    ],
    [
      'may be there when one of two clusters that had it cannot be read',
      {
        clusters: [empty],
        ours: [{ ...known, byCluster: [...byCluster, { cluster: 'c2', ids: ['10.0.0.1'] }] }],
      },
      false,
    ],
    [
      'has not when a node has its address',
      {
        targets: [{ name: 'pods', port: 80, nodeSelector: { role: 'web' } }],
        clusters: [
          cluster([], {
            what: 'nodes',
            seen: { ok: true, nodes: [{ ...node, address: '10.0.0.1' }], pods: [] },
          }),
        ],
      },
      false,
    ],
    [
      'has ended when its node is being deleted',
      {
        targets: [{ name: 'pods', port: 80, nodeSelector: { role: 'web' } }],
        clusters: [
          cluster([], {
            what: 'nodes',
            seen: { ok: true, nodes: [{ ...node, address: '10.0.0.1', isDeleting: true }], pods: [] },
          }),
        ],
      },
      true,
    ],
  ])('%s', (_, observed, hasEnded) => {
    const going = [{ id: '10.0.0.1', port: 80 }];
    const all: ObservedBinding = {
      namespace: 'shop',
      targets: [target],
      targetType: 'ip',
      clusters: [],
      registered: [],
      ours: [known],
      ...observed,
    };
    expect(endedOf(going, all)).toEqual(hasEnded ? going : []);
  });
});
