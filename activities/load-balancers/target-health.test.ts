import type {
  LoadBalancer,
  TargetHealthDescription,
  TargetHealthStateEnum,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, it } from 'vitest';
import type { ELBv2 } from '../../clients/aws/elbv2.ts';
import { strandingRefusal } from '../../domain/gates/health.ts';
import { arnOf } from '../../domain/testing/builders.ts';
import { healthReader, checkRequirements, readStranding } from './target-health.ts';

const listener = (kind: 'app' | 'net'): string =>
  `arn:aws:elasticloadbalancing:ap-northeast-1:111122223333:listener/${kind}/demo/a/b`;
const CROSS_ZONE = 'load_balancing.cross_zone.enabled';

interface Setting {
  /** The zones of healthy targets. */
  readonly zones: readonly (string | undefined)[];
  readonly kind?: 'app' | 'net';
  readonly ofGroup?: string;
  readonly ofLoadBalancer?: string;
  readonly atLeast?: number;
}

/** What a group with healthy targets lacks behind a load balancer that is enabled in two zones. */
async function lacking(setting: Setting): Promise<string | undefined> {
  const { zones, kind = 'net', ofGroup, ofLoadBalancer = 'false', atLeast = 1 } = setting;
  const targets = zones.map((AvailabilityZone, index): TargetHealthDescription => ({
    Target: { Id: `10.0.0.${index}`, ...(AvailabilityZone === undefined ? {} : { AvailabilityZone }) },
    TargetHealth: { State: 'healthy' },
  }));
  const loadBalancer: LoadBalancer = { AvailabilityZones: [{ ZoneName: '1a' }, { ZoneName: '1c' }] };
  const elbv2: Partial<ELBv2> = {
    targetHealth: () =>
      Promise.resolve([...targets, { Target: { Id: 'x' }, TargetHealth: { State: 'draining' } }]),
    attributesOf: () => Promise.resolve(ofGroup === undefined ? {} : { [CROSS_ZONE]: ofGroup }),
    loadBalancer: () => Promise.resolve(loadBalancer),
    loadBalancerAttributes: () => Promise.resolve({ [CROSS_ZONE]: ofLoadBalancer }),
  };
  const request = {
    cell: { key: { namespace: 'default', name: 'tcp' }, uid: 'uid' },
    forwarding: {
      type: 'AWSNetworkLoadBalancer' as const,
      listenerARN: listener(kind),
      listener: { forward: { targetGroups: [] } },
    },
    deletionPolicy: 'Retain' as const,
    adopt: false,
    sequence: 1,
    urgent: false,
    verify: false,
    requires: { healthy: [arnOf('a')], registered: [] },
    minHealthyTargets: atLeast,
  };
  const reached = {
    elbv2: () => elbv2 as ELBv2,
    installation: () => Promise.resolve('here'),
    desiredOf: () => Promise.resolve(undefined),
  };
  const { signal } = new AbortController();
  const read = healthReader(reached.elbv2, { urgent: false, signal });
  const looked = await checkRequirements(request, reached, { read, signal });
  return looked.is === 'Lacking' ? looked.lack : undefined;
}

describe('healthy targets', () => {
  it.each<[string, Setting]>([
    ['with one in each zone', { zones: ['1a', '1c'] }],
    ['in every zone where ELBv2 names none', { zones: [undefined] }],
    ['in every zone where ELBv2 says so', { zones: ['1a', 'all'] }],
    ['all together where the load balancer crosses zones', { zones: ['1a'], ofLoadBalancer: 'true' }],
    ['all together where the group crosses zones', { zones: ['1a'], ofGroup: 'true' }],
    ['all together behind an Application Load Balancer', { zones: ['1a'], kind: 'app' }],
  ])('are enough: %s', async (_, setting) => expect(await lacking(setting)).toBeUndefined());

  it.each<[string, Setting, string]>([
    ['where a zone has none', { zones: ['1a', '1a'] }, 'it has 0 in 1c. Register targets there'],
    [
      'where a zone has less than are asked for',
      { zones: ['1a', '1a', '1c'], atLeast: 2 },
      `${arnOf('a')} must have at least 2 healthy targets in each zone of the load balancer, which routes within a zone; it has 1 in 1c.`,
    ],
    ['in a zone that is not enabled', { zones: ['1b'] }, 'it has 0 in 1a and 0 in 1c'],
    [
      'where the group alone does not cross zones',
      { zones: ['1a'], ofGroup: 'false', ofLoadBalancer: 'true' },
      'it has 0 in 1c',
    ],
    [
      'where the group leaves it to a load balancer that does not cross zones',
      { zones: ['1a'], ofGroup: 'use_load_balancer_configuration' },
      'it has 0 in 1c',
    ],
    [
      'behind an Application Load Balancer, in a group that does not cross zones',
      { zones: ['1a'], kind: 'app', ofGroup: 'false' },
      'it has 0 in 1c',
    ],
    ['where there are none, whatever the zone', { zones: [] }, 'it has 0 of 1; 1 draining'],
  ])('are too few: %s', async (_, setting, want) => expect(await lacking(setting)).toContain(want));
});

describe('a write that takes the last weight from healthy target groups', () => {
  const weighted = (weights: Readonly<Record<string, number>>) =>
    Object.entries(weights).map(([name, weight]) => ({ name, arn: arnOf(name), weight }));

  /** Why a write is refused; a group without a state has no target, and one that is `hanging` is never read. */
  async function stranding(
    [from, to]: readonly [Readonly<Record<string, number>>, Readonly<Record<string, number>>],
    states: Readonly<Record<string, TargetHealthStateEnum | 'hanging' | 'denied'>>,
    urgent = false,
  ): Promise<{ readonly text: string | undefined; readonly reads: number }> {
    let reads = 0;
    const elbv2 = (arn: string): ELBv2 => {
      const state = Object.entries(states).find(([name]) => arnOf(name) === arn)?.[1];
      const targetHealth = (_: string, signal?: AbortSignal) => {
        reads += 1;
        if (state === 'denied') return Promise.reject(new Error('denied'));
        if (state === 'hanging')
          return new Promise<never>((_resolve, reject) => {
            signal?.addEventListener('abort', () => reject(new Error('late')));
          });
        return Promise.resolve(
          state === undefined ? [] : [{ Target: { Id: 'x' }, TargetHealth: { State: state } }],
        );
      };
      return { targetHealth } as Partial<ELBv2> as ELBv2;
    };
    const read = healthReader(elbv2, { urgent, signal: new AbortController().signal });
    const change = { from: weighted(from), to: weighted(to) };
    const found = await readStranding(change, read, { urgent });
    return { text: found && strandingRefusal(found), reads };
  }

  it.each([
    ['to unhealthy ones', { a: 100 }, { b: 100 }, { a: 'healthy', b: 'unhealthy' }],
    ['to ones without a target', { a: 100, b: 0 }, { b: 100 }, { a: 'healthy' }],
    ['to ones whose health cannot be read', { a: 50, b: 50 }, { b: 100 }, { a: 'healthy', b: 'denied' }],
    ['to ones that no rule uses', { a: 100 }, { b: 50, c: 50 }, { a: 'healthy', b: 'unused', c: 'unused' }],
  ] as const)('is refused: %s', async (_, from, to, states) => {
    const { text } = await stranding([from, to], states);
    expect(text).toMatch(
      /^cannot shift all traffic from a \(1 of 1 healthy\) to b .*no healthy target there/,
    );
  });

  it.each([
    ['one of those that receive is healthy', { a: 100 }, { b: 50, c: 50 }, { a: 'healthy', c: 'healthy' }],
    ['those that lose have no healthy target', { a: 100 }, { b: 100 }, { a: 'unhealthy', b: 'unhealthy' }],
    ['the health of those that lose is unknown', { a: 100 }, { b: 100 }, { a: 'denied', b: 'unhealthy' }],
    ['nothing served before', {}, { b: 100 }, {}],
  ] as const)('is made where %s', async (_, from, to, states) => {
    expect((await stranding([from, to], states)).text).toBeUndefined();
  });

  it('reads nothing where no group loses all its weight', async () => {
    const { reads } = await stranding(
      [
        { a: 80, b: 20 },
        { a: 50, b: 50 },
      ],
      {},
    );
    expect(reads).toBe(0);
  });

  it('is decided within a second or so when it takes traffic back and ELBv2 does not answer', async () => {
    const hanging = { a: 'hanging', b: 'hanging' } as const;
    const before = Date.now();
    expect((await stranding([{ a: 100 }, { b: 100 }], hanging, true)).text).toBeUndefined();
    expect(Date.now() - before).toBeLessThan(10_000);
  });
});
