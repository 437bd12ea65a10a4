import { describe, expect, it } from 'vitest';
import type { ForeignObject } from '../kinds.ts';
import { cachedFields } from './cached-fields.ts';

const metadata = { namespace: 'argocd', name: 'web-c1', uid: 'u', resourceVersion: '1' };
const owner = { apiVersion: 'argoproj.io/v1alpha1', kind: 'ApplicationSet', name: 'web', uid: 'u2' };
const source = { repoURL: 'https://git.example.com/web', path: 'prod' };
const destination = { server: 'https://c1.example.com' };

const application = {
  metadata: { ...metadata, ownerReferences: [owner] },
  spec: { project: 'default', source, destination },
  status: {
    sync: { status: 'Synced', comparedTo: { source, destination }, revision: 'a' },
    health: { status: 'Healthy' },
    operationState: { phase: 'Succeeded', finishedAt: '2026-11-22T10:00:00Z' },
    reconciledAt: '2026-11-22T10:00:00Z',
    resources: [{ kind: 'Deployment', name: 'web', health: { status: 'Healthy' } }],
  },
};
const upToDate = { type: 'ResourcesUpToDate', status: 'True', message: 'Done.' };
const applicationSet = {
  metadata: { ...metadata, name: 'web', labels: { svc: 'web' } },
  spec: { generators: [] },
  status: { conditions: [upToDate], resources: [{ name: 'web-c1', health: { status: 'Healthy' } }] },
};

// What an API server gives may have any fields.
const says = (kind: string, object: object): string | undefined =>
  cachedFields(kind)?.(object as ForeignObject).digest;
const withStatus = (part: object): object => ({
  ...application,
  status: { ...application.status, ...part },
});

describe('what an Application says', () => {
  const said = says('Application', application);

  it.each([
    ['whether it is synced', withStatus({ sync: { ...application.status.sync, status: 'OutOfSync' } })],
    ['what that is about', withStatus({ sync: { ...application.status.sync, comparedTo: {} } })],
    ['whether it is healthy', withStatus({ health: { status: 'Degraded' } })],
    ['whether a sync runs', withStatus({ operationState: { phase: 'Running' } })],
    ['whether a sync is asked for', { ...application, operation: {} }],
    ['when Argo CD has looked', withStatus({ reconciledAt: '2026-11-22T10:05:00Z' })],
    ['where it goes', { ...application, spec: { source, destination: { name: 'c2' } } }],
    ['what it deploys', { ...application, spec: { source: { ...source, path: 'dev' }, destination } }],
    ['what it deploys together', { ...application, spec: { source, sources: [source], destination } }],
    ['whose it is', { ...application, metadata: { ...application.metadata, ownerReferences: [] } }],
    [
      'whether it is being deleted',
      { ...application, metadata: { ...application.metadata, deletionTimestamp: '2026-11-22T10:00:00Z' } },
    ],
  ])('tells %s', (_, other) => expect(says('Application', other)).not.toBe(said));

  it.each([
    ['how each of its resources is', withStatus({ resources: [] })],
    ['what was deployed before', withStatus({ history: [{ id: 1 }] })],
    ['how far a sync is', withStatus({ operationState: { phase: 'Succeeded', message: 'more' } })],
    ['which version it is', { ...application, metadata: { ...application.metadata, resourceVersion: '2' } }],
  ])('does not tell %s', (_, other) => expect(says('Application', other)).toBe(said));
});

describe('what an ApplicationSet says', () => {
  const said = says('ApplicationSet', applicationSet);

  it.each([
    ['its labels', { ...applicationSet, metadata: { ...applicationSet.metadata, labels: {} } }],
    ['whether it is another', { ...applicationSet, metadata: { ...applicationSet.metadata, uid: 'u3' } }],
    [
      'whether its Applications are up to date',
      { ...applicationSet, status: { conditions: [{ ...upToDate, status: 'False' }] } },
    ],
    [
      'what has failed',
      {
        ...applicationSet,
        status: { conditions: [upToDate, { type: 'ErrorOccurred', status: 'True', message: 'no' }] },
      },
    ],
  ])('tells %s', (_, other) => expect(says('ApplicationSet', other)).not.toBe(said));

  it('does not tell how each of its Applications is', () => {
    const other = { ...applicationSet, status: { conditions: [upToDate], resources: [] } };
    expect(says('ApplicationSet', other)).toBe(said);
  });
});

it.each(['Application', 'ApplicationSet'])(
  'of an %s of a form that no schema allows something is kept',
  (kind) => {
    for (const odd of [{}, { spec: 1, status: 1 }, { spec: null, status: { conditions: 'a', sync: [1] } }])
      expect(says(kind, { metadata, ...odd })).toBeDefined();
  },
);
