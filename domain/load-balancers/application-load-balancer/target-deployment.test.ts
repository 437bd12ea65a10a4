import { describe, expect, it } from 'vitest';
import { targetDeploymentStatus, versionsByARN } from './target-deployment.ts';
import { arnOf } from '../../testing/builders.ts';

const served = (weights: Readonly<Record<string, number>>) => ({
  type: 'AWSApplicationLoadBalancer' as const,
  listenerARN: 'arn:listener',
  listener: {
    rule: {
      priority: 10,
      hosts: ['example.com'],
      forward: {
        targetGroups: Object.entries(weights).map(([name, weight]) => ({ name, arn: arnOf(name), weight })),
      },
    },
  },
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

describe('the versions of target groups', () => {
  const group = (name: string, version?: string, of = name, role = 'web') => ({
    metadata: {
      name,
      labels: { role, ...(version === undefined ? {} : { 'okra.mumo.co/version': version }) },
    },
    spec: { arn: arnOf(of) },
  });
  const spec = {
    ingress: { awsApplicationLoadBalancer: { targetGroupSelector: { matchLabels: { role: 'web' } } } },
  };
  const versions = (of: object, ...groups: ReturnType<typeof group>[]) =>
    Object.fromEntries([...versionsByARN(of, groups)].map(([arn, version]) => [arn.split('/')[1], version]));

  it('are those that its Cell counts, where several AWSTargetGroups name one target group', () => {
    const other = group('a', '9.0.0', 'x', 'api');
    expect(versions(spec, other, group('b', '1.0.0', 'x'), group('c', '2.0.0', 'x'))).toEqual({ x: '1.0.0' });
  });

  it('are as claimed where no Cell selects them', () => {
    expect(versions({}, group('b', 'v2', 'x'), group('a', 'v1', 'x'), group('c'))).toEqual({ x: 'v1' });
  });

  it('are those of their tags in AWS where no label says one', () => {
    const tagged = { ...group('a'), status: { version: 'v3' } };
    expect(versions(spec, tagged)).toEqual({ a: '3.0.0' });
  });
});
