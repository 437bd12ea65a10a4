import { describe, expect, it } from 'vitest';
import { unlimited } from '../../../clients/rate-limiter.ts';
import type { ELBv2, ELBv2Regions } from '../../../clients/aws/elbv2.ts';
import { startLifetimeOf } from '../lifetime.ts';
import { findGroup, type Bound } from './group.ts';

const arnOf = (name: string): string =>
  `arn:aws:elasticloadbalancing:eu-central-1:111122223333:targetgroup/${name}/4567`;
const bound: Bound = {
  key: { namespace: 'shop', name: 'web' },
  uid: 'u',
  spec: {
    targetGroup: { protocol: 'HTTP', targetType: 'ip', vpcID: 'vpc-1', healthCheck: { path: '/healthy' } },
    targets: [{ port: 80 }],
  } as Bound['spec'],
  status: {},
  life: startLifetimeOf(new AbortController().signal),
};

const known = {
  secret: { metadata: { namespace: 'shop', name: 'c1', uid: 's', resourceVersion: '1' } },
  cluster: { secret: 'c1', name: 'c1', labels: {}, vpcID: 'vpc-0123456789abcdef0' },
};

/** Finds the target group of a binding; says from which limit each write took its token. */
async function spent(of: Partial<ELBv2>, more: Partial<Bound> = {}): Promise<readonly string[]> {
  const taken: string[] = [];
  const elbv2: Partial<ELBv2> = {
    targetGroupNamed: () => Promise.resolve(undefined),
    createTargetGroup: () => Promise.resolve({ TargetGroupArn: arnOf('new'), TargetType: 'ip' }),
    ...of,
  };
  const every = (): ELBv2 => elbv2 as ELBv2;
  const regions: ELBv2Regions = Object.assign(every, { inRegion: every });
  const dependencies = {
    elbv2: regions,
    region: 'eu-central-1',
    limits: {
      registrations: {
        ...unlimited,
        wait: (quota: string) => Promise.resolve(void taken.push(`registrations ${quota}`)),
      },
      writes: { ...unlimited, wait: (quota: string) => Promise.resolve(void taken.push(`writes ${quota}`)) },
    },
    reader: { find: () => Promise.resolve([known]) },
  };
  const found = await findGroup(dependencies, { ...bound, ...more });
  expect(found).toMatchObject({ is: 'Group' });
  return taken;
}

describe('the write that a target group takes', () => {
  it('counts for the region that it is created in', async () => {
    expect(await spent({})).toEqual(['registrations eu-central-1']);
  });

  it('counts with the weights where it modifies its health check', async () => {
    const group = {
      TargetGroupArn: arnOf('web'),
      TargetType: 'ip',
      Protocol: 'HTTP',
      VpcId: 'vpc-1',
    } as const;
    const elbv2 = {
      targetGroups: () => Promise.resolve([group]),
      modifyTargetGroup: () => Promise.resolve(),
    };
    const status = { created: true, targetGroupARN: arnOf('web') };
    expect(await spent(elbv2, { status })).toEqual(['writes eu-central-1']);
  });
});

it('creates an HTTP target group for instances, in the VPC of the clusters, where the spec says nothing of it', async () => {
  const created: unknown[] = [];
  const elbv2: Partial<ELBv2> = {
    createTargetGroup: (input) => {
      created.push(input);
      return Promise.resolve({ TargetGroupArn: arnOf('new'), TargetType: 'instance' });
    },
  };
  const targets = [{ name: 'nodes', clusterName: 'c1', nodeSelector: { role: 'web' }, port: 8080 }];
  await spent(elbv2, { spec: { targets } });
  expect(created).toMatchObject([
    { Protocol: 'HTTP', Port: 8080, TargetType: 'instance', VpcId: 'vpc-0123456789abcdef0' },
  ]);
});
