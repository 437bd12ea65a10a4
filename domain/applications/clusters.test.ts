import { describe, expect, it } from 'vitest';
import { findUnreadiness } from './resolve.ts';

const cluster = { name: 'web-1', eksName: 'eks-web-1', hasEndpoint: true } as const;

describe('a cluster', () => {
  it('is ready when it is ACTIVE and its API server says so', () => {
    expect(findUnreadiness({ ...cluster, status: 'ACTIVE', api: { is: 'Ready' } })).toBeUndefined();
  });

  it.each([
    ['when EKS does not have it', {}, 'EKS cluster eks-web-1 not found'],
    ['while it is being created', { status: 'CREATING' }, 'is CREATING, and not ACTIVE'],
    ['before EKS names its API server', { status: 'ACTIVE', hasEndpoint: false }, 'does not say yet'],
    ['while its API server is not ready', { status: 'ACTIVE', api: { is: 'NotReady' } as const }, '/readyz'],
    [
      'while nobody reaches it',
      { status: 'ACTIVE', api: { is: 'Unknown', message: 'no route' } as const },
      'no route',
    ],
  ])('is not ready %s', (_, signs, said) => {
    expect(findUnreadiness({ ...cluster, ...signs })).toContain(said);
  });
});
