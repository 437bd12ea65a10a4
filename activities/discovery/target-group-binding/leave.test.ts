import { describe, expect, it } from 'vitest';
import { unlimited } from '../../../clients/rate-limiter.ts';
import type { ELBv2, ELBv2Regions } from '../../../clients/aws/elbv2.ts';
import type { Registration } from '../../../domain/discovery/target-group-binding/registered-target.ts';
import { startLifetimeOf } from '../lifetime.ts';
import { leaveGroup } from './target-group-binding.ts';

describe('what a binding leaves', () => {
  const arn = 'arn:aws:elasticloadbalancing:eu-central-1:111122223333:targetgroup/web/4567';
  const targets = [{ name: 'web', port: 80, ids: ['i-a', 'i-b'] }];
  const key = { namespace: 'shop', name: 'web' };
  const bound = { key, uid: 'mine', status: {}, life: startLifetimeOf(new AbortController().signal) };

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
      { elbv2: regions, limits, kubernetes: { list } },
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
