import { describe, expect, it } from 'vitest';
import { targetDeploymentStatus } from './target-deployment.ts';
import { arnOf } from './testing/builders.ts';

const served = (weights: Readonly<Record<string, number>>) => ({
  type: 'AWSApplicationLoadBalancer' as const,
  listenerARN: 'arn:listener',
  rule: { priority: 10, hosts: ['example.com'] },
  targetGroups: Object.entries(weights).map(([name, weight]) => ({ name, arn: arnOf(name), weight })),
});
const claimed = (versions: Readonly<Record<string, string>>) =>
  new Map(Object.entries(versions).map(([name, version]) => [arnOf(name), version]));

describe('what a listener rule routes to', () => {
  it('has the version that carries most of the weight, however its groups write it', () => {
    const status = targetDeploymentStatus(
      served({ a: 40, b1: 30, b2: 30 }),
      claimed({ a: '1.0.0', b1: 'v2', b2: '2.0' }),
    );
    expect(status.version).toBe('2.0.0');
    expect(status.targetGroups?.map(({ version }) => version)).toEqual(['1.0.0', '2.0.0', '2.0.0']);
  });

  it('shows what is no version as it is claimed', () => {
    const status = targetDeploymentStatus(served({ a: 100 }), claimed({ a: 'latest' }));
    expect(status.version).toBe('latest');
  });
});
