import { describe, expect, it } from 'vitest';
import type { Informed } from '../event.ts';
import { cachedFields } from './cached-fields.ts';

const filling = 'x'.repeat(10_000);
const metadata = {
  name: 'web',
  namespace: 'default',
  uid: 'u',
  generation: 3,
  resourceVersion: '7',
  labels: { role: 'web' },
  annotations: { 'okra.mumo.co/sequence': '4' },
};
const written = {
  ...metadata,
  managedFields: [{ manager: filling }],
  annotations: { ...metadata.annotations, 'kubectl.kubernetes.io/last-applied-configuration': filling },
};
const conditions = [
  { type: 'Progressing', status: 'False', reason: 'Serving', message: filling, lastTransitionTime: 'x' },
];
const spec = { ingress: { type: 'AWSApplicationLoadBalancer' }, replicas: 1 };
const change = { version: '1.0.0', startedAt: 'a', endedAt: 'b', outcome: 'Completed' };
const of = (kind: string, object: object): unknown => cachedFields(kind)?.(object as Informed);

describe('what is kept of', () => {
  it('a Cell is its spec, and what of its status decides about messages and metrics', () => {
    const status = {
      phase: 'Completed',
      reason: 'Serving',
      message: filling,
      observedHash: 'h',
      lastSyncTime: 't',
      conditions,
      blockedVersions: [{ version: '2.0.0', reason: filling }],
      targetGroups: [{ name: 'a', arn: filling, weight: 100 }],
      history: [{ ...change, message: filling, requests: [{ reason: filling }] }],
    };
    expect(of('Cell', { apiVersion: 'v', kind: 'Cell', metadata: written, spec, status })).toEqual({
      metadata,
      spec,
      status: {
        phase: 'Completed',
        reason: 'Serving',
        observedHash: 'h',
        lastSyncTime: 't',
        conditions: [{ type: 'Progressing', status: 'False', reason: 'Serving' }],
        blockedVersions: [{ version: '2.0.0' }],
        targetGroups: [{ weight: 100 }],
        history: [change],
      },
    });
  });

  it('a Cell that nobody has looked at has no status', () =>
    expect(of('Cell', { metadata: written, spec })).toEqual({ metadata, spec }));

  it.each([
    ['with applications', { metadata, spec: { ...spec, applications: [] }, status: { step: filling } }],
    [
      'of an application',
      { metadata: { ...metadata, labels: { 'okra.mumo.co/cell': 'all' } }, status: { step: filling } },
    ],
  ])('a Cell %s is its whole status, which another one may be about', (_, cell) =>
    expect(of('Cell', cell)).toEqual(cell),
  );

  it('an AWSTargetGroup is what says which version it has', () =>
    expect(
      of('AWSTargetGroup', {
        metadata: written,
        spec: { arn: 'a' },
        status: { version: '1.0.0', observedGeneration: 3, conditions },
      }),
    ).toEqual({ metadata, spec: { arn: 'a' }, status: { version: '1.0.0', observedGeneration: 3 } }));

  it.each(['AWSApplicationLoadBalancerConfig', 'AWSNetworkLoadBalancerConfig'])(
    'an %s is where it is, and whether it is applied',
    (kind) =>
      expect(
        of(kind, {
          metadata: written,
          spec: { listenerARN: 'l', listener: filling },
          status: { observedGeneration: 3, observed: filling },
        }),
      ).toEqual({ metadata, spec: { listenerARN: 'l' }, status: { observedGeneration: 3 } }),
  );

  it('an object of a form that no schema allows is what is there of it that has its form', () =>
    expect(of('Cell', { metadata: { name: 'web' }, spec: null, status: { history: 'x' } })).toEqual({
      metadata: { name: 'web' },
      spec: null,
      status: {},
    }));
});
