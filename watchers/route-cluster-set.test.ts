import { describe, expect, it } from 'vitest';
import type { ClusterSet } from '../crds/cluster-set.ts';
import { signal, viewOf } from './builders.ts';
import { route } from './route.ts';

const set = (generation: number): ClusterSet => ({
  apiVersion: 'okra.mumo.co/v1alpha1',
  kind: 'ClusterSet',
  metadata: { namespace: 'default', name: 'cart', generation },
  spec: { generators: [{ awseks: { selector: { matchTags: { Service: 'demo' } } } }] },
});
const start = { do: 'Start', workflow: 'clusterSet', key: { namespace: 'default', name: 'cart' } };

describe('an event about a ClusterSet', () => {
  it.each([
    ['wakes its workflow when it is added', { type: 'add', object: set(1) }, start],
    ['wakes its workflow when its spec changes', { type: 'update', object: set(2), old: set(1) }, start],
    [
      'is nothing when its status changes',
      { type: 'update', object: set(1), old: set(1) },
      { do: 'Ignore', reason: 'unchanged' },
    ],
    [
      'tells its workflow when it is deleted',
      { type: 'delete', object: set(1) },
      signal('cluster-set/default/cart', 'changed'),
    ],
  ] as const)('%s', (_, event, want) => {
    expect(route({ kind: 'ClusterSet', event }, viewOf({}))).toEqual([want]);
  });
});
