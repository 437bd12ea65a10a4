import type {
  LoadBalancer,
  TargetHealthDescription,
  TargetHealthStateEnum,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, it } from 'vitest';
import type { ELBv2 } from '../../clients/aws/elbv2.ts';
import { arnOf } from '../../domain/testing/builders.ts';
import { targetLook } from './target-health.ts';

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
  /** The states of the targets of the group in whose place it comes. */
  readonly inPlaceOf?: readonly TargetHealthStateEnum[];
}

/** What a group with healthy targets lacks behind a load balancer that is enabled in two zones. */
async function lacking(setting: Setting): Promise<string | undefined> {
  const { zones, kind = 'net', ofGroup, ofLoadBalancer = 'false', atLeast = 1, inPlaceOf } = setting;
  const targets = zones.map((AvailabilityZone, index): TargetHealthDescription => ({
    Target: { Id: `10.0.0.${index}`, ...(AvailabilityZone === undefined ? {} : { AvailabilityZone }) },
    TargetHealth: { State: 'healthy' },
  }));
  const loadBalancer: LoadBalancer = { AvailabilityZones: [{ ZoneName: '1a' }, { ZoneName: '1c' }] };
  const elbv2: Partial<ELBv2> = {
    targetHealth: (arn) =>
      Promise.resolve(
        arn === arnOf('b')
          ? (inPlaceOf ?? []).map((State) => ({ Target: { Id: 'y' }, TargetHealth: { State } }))
          : [...targets, { Target: { Id: 'x' }, TargetHealth: { State: 'draining' } }],
      ),
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
    requires: {
      healthy: [arnOf('a')],
      registered: [],
      ...(inPlaceOf === undefined ? {} : { inPlaceOf: [arnOf('b')] }),
    },
    minHealthyTargets: atLeast,
  };
  const reached = {
    elbv2: () => elbv2 as ELBv2,
    installation: () => Promise.resolve('here'),
    desiredOf: () => Promise.resolve(undefined),
  };
  const looked = await targetLook(request, reached, new AbortController().signal)();
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
    ['without one, where what they come in place of has no target', { zones: [], inPlaceOf: [] }],
    ['without one, where all targets there leave', { zones: [], inPlaceOf: ['draining'] }],
  ])('are enough: %s', async (_, setting) => expect(await lacking(setting)).toBeUndefined());

  it.each<[string, Setting, string]>([
    ['where a zone has none', { zones: ['1a', '1a'] }, 'got 0 in 1c. Register targets there'],
    [
      'where a zone has less than are asked for',
      { zones: ['1a', '1a', '1c'], atLeast: 2 },
      `at least 2 healthy targets in ${arnOf('a')} in each zone of the load balancer, which routes within a zone, got 1 in 1c.`,
    ],
    ['in a zone that is not enabled', { zones: ['1b'] }, 'got 0 in 1a and 0 in 1c'],
    [
      'where the group alone does not cross zones',
      { zones: ['1a'], ofGroup: 'false', ofLoadBalancer: 'true' },
      'got 0 in 1c',
    ],
    [
      'where the group leaves it to a load balancer that does not cross zones',
      { zones: ['1a'], ofGroup: 'use_load_balancer_configuration' },
      'got 0 in 1c',
    ],
    [
      'behind an Application Load Balancer, in a group that does not cross zones',
      { zones: ['1a'], kind: 'app', ofGroup: 'false' },
      'got 0 in 1c',
    ],
    ['where there are none, whatever the zone', { zones: [] }, 'got 0 of 1; 1 draining'],
    [
      'where a target of what they come in place of may still serve',
      { zones: [], inPlaceOf: ['draining', 'unhealthy'] },
      'got 0 of 1; 1 draining',
    ],
  ])('are too few: %s', async (_, setting, want) => expect(await lacking(setting)).toContain(want));
});
