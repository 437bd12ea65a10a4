import { describe, expect, it } from 'vitest';
import { unlimited } from '../../../clients/rate-limiter.ts';
import type { ELBv2, ELBv2Regions } from '../../../clients/aws/elbv2.ts';
import type { AWSTargetGroupBindingSpec } from '../../../crds/aws-target-group-binding.ts';
import type { Registration } from '../../../domain/discovery/target-group-binding/registered-target.ts';
import { lifetimeFrom } from '../lifetime.ts';
import { hasMoved, leaveGroup } from './leave.ts';
import { searches } from './searches.ts';

const named = (targetGroupARN: string): AWSTargetGroupBindingSpec => ({ targetGroupARN, targets: [] });
const asked: AWSTargetGroupBindingSpec = {
  targetGroup: { protocol: 'HTTP', vpcID: 'vpc-01234567', targetType: 'ip' },
  targets: [],
};

describe('a binding', () => {
  it.each([
    ['has not moved before it was anywhere', named('a'), {}, false],
    ['has not moved while it names the same group', named('a'), { targetGroupARN: 'a' }, false],
    ['has moved when it names another group', named('b'), { targetGroupARN: 'a' }, true],
    ['has moved from the group that it created', named('b'), { targetGroupARN: 'a', created: true }, true],
    ['has not moved while it has created its group', asked, { targetGroupARN: 'a', created: true }, false],
    ['has moved to a group that it is to create', asked, { targetGroupARN: 'a', created: false }, true],
  ])('%s', (_, spec, entry, want) => expect(hasMoved(spec, { targets: [], ...entry })).toBe(want));
});

describe('what a binding leaves', () => {
  const arn = 'arn:aws:elasticloadbalancing:eu-central-1:111122223333:targetgroup/web/4567';
  const targets = [{ name: 'web', port: 80, ids: ['i-a', 'i-b'] }];
  const key = { namespace: 'shop', name: 'web' };
  const bound = { key, uid: 'mine', status: {}, life: lifetimeFrom(new AbortController().signal) };

  /** What is deregistered while another binding has something in the same group. */
  async function leftBeside(other: unknown, users: readonly string[] = []) {
    const deregistered: Registration[] = [];
    const elbv2: Partial<ELBv2> = {
      targetGroups: () => Promise.resolve([{ TargetGroupArn: arn, LoadBalancerArns: [...users] }]),
      targetHealth: () => Promise.resolve(['i-a', 'i-b'].map((Id) => ({ Target: { Id, Port: 80 } }))),
      deregisterTargets: (_, batch) => Promise.resolve(void deregistered.push(...batch)),
    };
    const every = (): ELBv2 => elbv2 as ELBv2;
    const regions: ELBv2Regions = Object.assign(every, { inRegion: every });
    const list = <T>() => Promise.resolve([other] as T[]);
    const limits = { writes: unlimited, registrations: unlimited };
    const left = await leaveGroup(
      { elbv2: regions, limits, searches: searches(), kubernetes: { list } },
      { targetGroupARN: arn, targets },
      bound,
    );
    expect(left).toEqual({ targets: [], problems: [] });
    return deregistered;
  }
  const latter = [{ name: 'latter', port: 80, ids: ['i-b'] }];

  it('is deregistered, but not what another binding of the namespace keeps', async () => {
    const kept = { targetGroupARN: arn, targets: latter };
    expect(await leftBeside({ metadata: { uid: 'other' }, status: kept })).toEqual([{ id: 'i-a', port: 80 }]);
  });

  it.each([
    [
      'has moved elsewhere',
      {
        metadata: { uid: 'other' },
        status: {
          targetGroupARN: `${arn}8`,
          targets: [],
          former: [{ targetGroupARN: arn, targets: latter }],
        },
      },
    ],
    [
      'is deleted, and has created the target group',
      {
        metadata: { uid: 'other', deletionTimestamp: '2026-11-25T12:00:00Z' },
        status: { targetGroupARN: arn, created: true, targets: latter },
      },
    ],
  ])('stays while a load balancer forwards to it if another that has it %s', async (_, other) => {
    const all = [
      { id: 'i-a', port: 80 },
      { id: 'i-b', port: 80 },
    ];
    expect(await leftBeside(other, ['arn:load-balancer'])).toEqual(all.slice(0, 1));
    expect(await leftBeside(other)).toEqual(all);
  });
});
