import { describe, expect, it } from 'vitest';
import { sources, type ForeignObject } from '../kinds.ts';
import { cachedFields } from './cached-fields.ts';

const identity = { name: 'web', namespace: 'default', uid: 'u1', resourceVersion: '7' };

/** An object as an API server gives it: with all that others have written into it. */
function whole(status: object, data: Readonly<Record<string, string>> = {}): ForeignObject {
  const filling = 'x'.repeat(20_000);
  const object = {
    apiVersion: 'v1',
    kind: 'Any',
    metadata: {
      ...identity,
      generation: 3,
      creationTimestamp: '2026-11-22T00:00:00Z',
      deletionTimestamp: '2026-11-22T01:00:00Z',
      labels: { 'okra.mumo.co/cell': 'web', 'argocd.argoproj.io/secret-type': 'cluster', team: filling },
      annotations: {
        'okra.mumo.co/cluster-id': 'arn:web',
        'okra.mumo.co/cluster-tags': '{"version":"1.0.0"}',
        'okra.mumo.co/cluster-vpc-id': 'vpc-1',
        'kubectl.kubernetes.io/last-applied-configuration': filling,
      },
      ownerReferences: [
        { apiVersion: 'v1', kind: 'ClusterSet', name: 'demo', uid: 'u2', controller: true, filling },
        { apiVersion: 'v1', kind: 'Other', name: 'other', uid: 'u3' },
      ],
      managedFields: [{ manager: filling }],
    },
    spec: { template: filling },
    status,
    data,
  };
  return object;
}

const invalid = { type: 'InvalidSpec', status: 'True', message: 'x'.repeat(20_000), lastUpdateTime: 'now' };
const metadata = identity;
const labels = { 'okra.mumo.co/cell': 'web' };

const cases: readonly (readonly [string, ForeignObject, object])[] = [
  [
    'AnalysisRun',
    whole({ phase: 'Failed', metricResults: ['x'.repeat(20_000)] }),
    { metadata: { ...identity, labels }, status: { phase: 'Failed' } },
  ],
  ['AnalysisRun', whole({}), { metadata: { ...identity, labels }, status: {} }],
  [
    'Experiment',
    whole({ phase: 'Running', conditions: [invalid, { type: 'Progressing', status: 'True' }] }),
    {
      metadata: { ...identity, labels },
      status: {
        phase: 'Running',
        conditions: [
          { type: 'InvalidSpec', status: 'True' },
          { type: 'Progressing', status: 'True' },
        ],
      },
    },
  ],
  [
    'Job',
    whole({ active: 1, conditions: [invalid, { type: 'Failed', status: 'True', message: 'x' }] }),
    {
      metadata: { ...identity, labels },
      status: {
        active: 1,
        conditions: [
          { type: 'InvalidSpec', status: 'True' },
          { type: 'Failed', status: 'True' },
        ],
      },
    },
  ],
  ['AnalysisTemplate', whole({}), { metadata }],
  ['ClusterAnalysisTemplate', whole({}), { metadata }],
  [
    'Binding',
    whole({ observedGeneration: 2 }),
    { metadata: { ...identity, generation: 3 }, status: { observedGeneration: 2 } },
  ],
  ['ReplicaSet', whole({ replicas: 4 }), { metadata: { ...identity, generation: 3 } }],
  [
    'Secret',
    whole({}, { name: 'd2Vi', server: 'aHR0cHM6Ly9hLmI=', config: 'e30=', namespaces: '', more: 'eA==' }),
    {
      metadata: {
        ...identity,
        deletionTimestamp: '2026-11-22T01:00:00Z',
        labels: {
          'okra.mumo.co/cell': 'web',
          'argocd.argoproj.io/secret-type': 'cluster',
          team: 'x'.repeat(20_000),
        },
        annotations: {
          'okra.mumo.co/cluster-id': 'arn:web',
          'okra.mumo.co/cluster-tags': '{"version":"1.0.0"}',
          'okra.mumo.co/cluster-vpc-id': 'vpc-1',
        },
        ownerReferences: [
          { kind: 'ClusterSet', name: 'demo', controller: true },
          { kind: 'Other', name: 'other' },
        ],
      },
      data: { name: 'd2Vi', server: 'aHR0cHM6Ly9hLmI=', config: 'e30=', namespaces: '' },
    },
  ],
];

describe('what watchers keep', () => {
  it.each(cases)('of an object of kind %s is what they look at', (kind, object, want) => {
    expect(cachedFields(kind)?.(object)).toEqual(want);
  });

  it.each(['ClusterSet', 'AWSTargetGroupSet', 'Freeze'])(
    "of one of Okra's own, %s, is left to the informer",
    (kind) => {
      expect(cachedFields(kind)).toBeUndefined();
    },
  );
});

describe('an object of a form that its schema does not allow', () => {
  const odd = [null, 1, [null], {}, { conditions: 1 }, { conditions: {} }, { conditions: [null, 1] }];
  it.each(sources.map(({ kind }) => kind.kind))('does not keep its kind from being listed: %s', (kind) => {
    for (const value of odd) {
      const parts = { spec: value, status: value, data: value, operation: value };
      const object = { metadata: identity, ...parts } as unknown as ForeignObject;
      expect((cachedFields(kind) ?? ((one) => one))(object).metadata.name).toBe('web');
    }
  });
});
