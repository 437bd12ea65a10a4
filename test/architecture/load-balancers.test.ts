import { asyncLocalStorage, type Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { TargetHealthDescription } from '@aws-sdk/client-elastic-load-balancing-v2';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ShiftRequest } from '../../activities/contract.ts';
import type { ELBv2 } from '../../clients/aws/elbv2.ts';
import { unlimited } from '../../clients/rate-limiter.ts';
import type { LoadBalancersOf } from '../../activities/load-balancers/port.ts';
import { driftWatchStart } from '../../clients/temporal/workflow-start.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { CellSpec } from '../../crds/cell.ts';
import type { KindsOf } from '../../domain/load-balancers/kind.ts';
import type { LoadBalancerShapes } from '../../domain/load-balancers/kinds.ts';
import type { Route } from '../../domain/load-balancers/load-balancer.ts';
import { aCell, arnOf } from '../../domain/testing/builders.ts';
import { kubernetesWith, type KeptObjects } from '../examples/route-53/kept-objects.ts';
import { route53 as route53Kind, type Route53Shape } from '../examples/route-53/route-53-kind.ts';
import { zone } from '../examples/route-53/route-53-records.ts';
import type { KindEvent } from '../../watchers/kinds.ts';

/** The shapes, with the line that adds one. */
interface Shapes extends LoadBalancerShapes {
  readonly Route53: Route53Shape;
}

// The lines of the generated tables that name a kind of load balancer.
vi.mock('../../crds/load-balancers.ts', async (original) => {
  const table = await original<{
    readonly ingressBlocks: object;
    readonly loadBalancerBlocks: object;
    readonly loadBalancerConfigs: readonly object[];
  }>();
  const { route53 } = await import('../examples/route-53/route-53-schemas.ts');
  return {
    ingressBlocks: { ...table.ingressBlocks, route53: route53.block },
    loadBalancerBlocks: { ...table.loadBalancerBlocks, Route53: route53.blockNames },
    loadBalancerConfigs: [...table.loadBalancerConfigs, route53.config],
  };
});
vi.mock('../../domain/load-balancers/kinds.ts', async (original) => {
  const { loadBalancerKinds } = await original<{ loadBalancerKinds: KindsOf<LoadBalancerShapes> }>();
  const { route53 } = await import('../examples/route-53/route-53-kind.ts');
  const all: KindsOf<Shapes> = { ...loadBalancerKinds, Route53: route53 };
  return { loadBalancerKinds: all };
});
vi.mock('../../activities/load-balancers/kinds.ts', async (original) => {
  const { loadBalancers } = await original<{ loadBalancers: LoadBalancersOf }>();
  const { route53 } = await import('../examples/route-53/route-53.ts');
  const all: LoadBalancersOf<Shapes> = { ...loadBalancers, Route53: route53 };
  return { loadBalancers: all };
});

const { listenerARNOf, placeOf, routeOf, targetGroupsOf, withTargetGroups } =
  await import('../../domain/load-balancers/load-balancer.ts');
const { trafficActivities } = await import('../../activities/rollout/traffic.ts');
const { surroundingsReader } = await import('../../activities/rollout/surroundings.ts');
const { driftActivities } = await import('../../activities/load-balancers/drift.ts');
const { cell: cellKind } = await import('../../crds/cell.ts');
const { selectorOf } = await import('../../domain/versions/version-label.ts');
const { route } = await import('../../watchers/routes/route.ts');
const { viewOf } = await import('../../watchers/testing/builders.ts');

const key = { namespace: 'default', name: 'web' };
const place = 'arn:aws:route53:::hostedzone/Z123';
const groups = (a: number, b: number) => [
  { name: 'a', arn: arnOf('a'), weight: a },
  { name: 'b', arn: arnOf('b'), weight: b },
];
const targetGroupSelector = { matchLabels: { role: 'web' } };
const ingress = {
  type: 'Route53',
  route53: { hostedZoneID: 'Z123', recordName: 'example.com', targetGroupSelector },
} as CellSpec['ingress'];

/** The route of the Cell, which only the mocked tables know. */
function aRoute(): Route {
  const found = routeOf({ ingress });
  if (found === undefined) throw new Error('Expected a route by the mocked table, got none.');
  return found;
}

/** Runs as an activity that nobody cancels, and whose waits are over at once, or with what happens meanwhile. */
const asActivity = <Value>(
  run: () => Promise<Value>,
  info: object = {},
  meanwhile: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Value> =>
  asyncLocalStorage.run(
    {
      info,
      cancellationSignal: new AbortController().signal,
      sleep: meanwhile,
      heartbeat: () => undefined,
    } as unknown as Context,
    run,
  );

describe('a kind of load balancer that the tables have a line of', () => {
  let kept: KeptObjects;
  let kubernetes: KubernetesClient;
  beforeEach(() => {
    zone.records.clear();
    zone.changes = 0;
    zone.afterChange = () => undefined;
    const { cell } = aCell().seen();
    ({ kept, kubernetes } = kubernetesWith({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'Cell',
      metadata: { ...key, uid: 'uid' },
      spec: { ...cell?.spec, ingress },
    }));
  });
  const reached = () => ({
    kubernetes,
    surroundings: surroundingsReader(kubernetes),
    elbv2: () => {
      throw new Error('Expected nobody to call ELBv2.');
    },
    installation: () => Promise.resolve('here'),
    writes: unlimited,
    temporal: {} as Client,
  });
  const requestFor = (a: number, b: number, sequence: number): ShiftRequest => ({
    cell: { key, uid: 'uid' },
    forwarding: withTargetGroups(aRoute(), groups(a, b)),
    deletionPolicy: 'Retain',
    adopt: false,
    sequence,
    urgent: false,
    verify: false,
    minHealthyTargets: 1,
  });
  const shift = (a: number, b: number, sequence: number, more: Partial<ShiftRequest> = {}) => {
    const request = { ...requestFor(a, b, sequence), ...more };
    return asActivity(() => trafficActivities(reached()).shiftTraffic(request));
  };
  const findDrift = (meanwhile?: () => Promise<unknown>) => {
    const activities = driftActivities({ ...reached(), watchNamespaces: [], taskQueue: 'okra' });
    return asActivity(() => activities.findDrift({ type: aRoute().type, place }), {}, meanwhile);
  };

  it('is taken by a Cell with its block, and with no other', () => {
    const { cell } = aCell().seen();
    const problemsOf = (changed: object) => {
      const parsed = cellKind.parseSpec({ ...cell?.spec, ingress: changed });
      return parsed.ok ? [] : parsed.problems;
    };
    expect(problemsOf(ingress)).toEqual([]);
    expect(problemsOf({ type: 'Route53' }).join()).toContain('spec.ingress.route53 is required, because');
    expect(problemsOf({ ...ingress, type: 'ALB' }).join()).toContain('AWSNetworkLoadBalancer or Route53.');
  });

  it('has the target groups that its block selects', () => {
    expect(selectorOf({ ingress })).toEqual(targetGroupSelector);
  });

  it('is what the type of a Cell names, at a place and with weights', () => {
    expect([placeOf(aRoute()), listenerARNOf(aRoute())]).toEqual([place, undefined]);
    expect(targetGroupsOf(withTargetGroups(aRoute(), groups(80, 20)))).toEqual(groups(80, 20));
  });

  it('serves what a Cell asks for, and its object says so', async () => {
    await shift(100, 0, 1);
    const result = await shift(80, 20, 2);
    expect(result).toMatchObject({ is: 'Served', observed: { isApplied: true, weighted: groups(80, 20) } });
    expect([zone.records.get('example.com'), zone.changes]).toEqual([groups(80, 20), 2]);
    expect(kept.object('Route53Config', key)).toMatchObject({
      spec: { hostedZoneID: 'Z123', recordName: 'example.com', targetGroups: groups(80, 20) },
      status: { phase: 'Updated', weights: 'a: 80, b: 20', observedGeneration: 2 },
    });
  });

  it('has the status of the Cell say what is about to be served before it is', async () => {
    const status = { phase: 'Progressing', message: 'Shifting to 20.' } as const;
    const at: number[] = [];
    const apply = kubernetes.apply.bind(kubernetes);
    kubernetes.apply = async (object, options) => {
      if (object.kind !== 'Cell') return await apply(object, options);
      await new Promise((done) => setImmediate(done));
      at.push(zone.changes);
      return await apply(object, options);
    };
    const result = await shift(80, 20, 1, { report: { key, uid: 'uid', status, events: [] } });
    expect(at).toEqual([0]);
    expect(result).toMatchObject({ told: { is: 'Told' }, observed: { cell: { status } } });
  });

  it('takes no more requests to the API server than docs/performance.md counts', async () => {
    const asked: string[] = [];
    const before = kubernetes;
    const count = (what: string, kind: string) => void asked.push(`${what} ${kind}`);
    kubernetes = {
      ...before,
      get: (kind, of, options) => (count('get', kind.kind), before.get(kind, of, options)),
      list: (kind, options) => (count('list', kind.kind), before.list(kind, options)),
      snapshot: (kind, options) => (count('list', kind.kind), before.snapshot(kind, options)),
      create: (object) => (count('create', object.kind), Promise.resolve(object)),
      apply: (object, options) => {
        count(options?.subresource === 'status' ? 'status of' : 'apply', object.kind);
        return before.apply(object, options);
      },
    };
    const events = [{ id: '1', type: 'Normal', reason: 'WeightsShifted', message: '' } as const];
    const report = { key, uid: 'uid', resourceVersion: '1', status: {}, events };
    const own = [
      'apply Route53Config',
      'create Event',
      // For the next decision; its status is written over the version that was seen last.
      'get Cell',
      // Before anything is asked for, and once more right before the write.
      'get Route53Config',
      'get Route53Config',
      'status of Cell',
      'status of Route53Config',
    ];
    const lists = ['list AWSTargetGroup', 'list AccessPolicy', 'list Freeze'];
    const activities = trafficActivities(reached());
    const info = { workflowExecution: { workflowId: 'cell/default/web', runId: 'run' }, activityId: '1' };
    const shiftOnce = (request: ShiftRequest) => asActivity(() => activities.shiftTraffic(request), info);
    const first = await shiftOnce({ ...requestFor(100, 0, 1), report });
    expect(asked.splice(0).toSorted()).toEqual([...own, ...lists].toSorted());
    const { listVersions = {} } = first.is === 'Served' ? (first.observed ?? {}) : {};
    // The next one goes by the lists of the first.
    await shiftOnce({ ...requestFor(80, 20, 2), report, listVersions });
    expect(asked.splice(0).toSorted()).toEqual(own);
    // One that was decided by newer lists does not.
    const newer = { targetGroups: '1000', freezes: '1000', accessPolicies: '1000' };
    await shiftOnce({ ...requestFor(70, 30, 3), report, listVersions: newer });
    expect(asked).toEqual(expect.arrayContaining(lists));
  });

  it.each([
    ['the API server is slow', 'report'],
    ['it waits for the rate limit', 'limit'],
  ] as const)('looks at targets again when %s', async (_, slow) => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const targets: TargetHealthDescription[] = [{ TargetHealth: { State: 'healthy' } }];
    const leave = async (): Promise<void> => {
      await new Promise((done) => setTimeout(done, 20));
      vi.setSystemTime(Date.now() + 5_000);
      targets.length = 0;
    };
    const apply = kubernetes.apply.bind(kubernetes);
    kubernetes.apply = async (object, options) => {
      if (object.kind === 'Cell' && slow === 'report') await leave();
      return await apply(object, options);
    };
    const activities = trafficActivities({
      ...reached(),
      elbv2: () => ({ targetHealth: () => Promise.resolve([...targets]) }) as unknown as ELBv2,
      writes: { ...unlimited, wait: () => (slow === 'limit' ? leave() : Promise.resolve()) },
    });
    const request: ShiftRequest = {
      ...requestFor(80, 20, 1),
      requires: { healthy: [arnOf('b')], registered: [] },
      report: { key, uid: 'uid', status: {}, events: [] },
    };
    const result = await asActivity(() => activities.shiftTraffic(request));
    expect(result).toMatchObject({ is: 'Lacking', told: { is: 'Told' } });
    expect([kept.object('Route53Config', key), zone.changes]).toEqual([undefined, 0]);
  });

  it('is served all the same when nobody can be told', async () => {
    const apply = kubernetes.apply.bind(kubernetes);
    kubernetes.apply = (object, options) =>
      object.kind === 'Cell' ? Promise.reject(new Error('Not today.')) : apply(object, options);
    const report = { key, uid: 'uid', status: {}, events: [] };
    expect(await shift(80, 20, 1, { report })).toMatchObject({ is: 'Served', told: { is: 'Refused' } });
    expect(zone.changes).toBe(1);
  });

  describe('that is written by a process which was stopped for a minute', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
    afterEach(() => void vi.useRealTimers());
    const stop = (): void => void vi.setSystemTime(Date.now() + 60_000);
    const report = { key, uid: 'uid', status: {}, events: [] };
    const shiftLate = () => {
      const request = { ...requestFor(80, 20, 1), report };
      return asActivity(() => trafficActivities(reached()).shiftTraffic(request), {
        heartbeatTimeoutMs: 1_500,
      });
    };

    it.each([
      ['is not asked for any more', 1, undefined],
      ['is not written any more, even when the last answer came before that', 2, expect.anything()],
    ])('%s', async (_, reads, asked) => {
      const before = kubernetes;
      let left = reads;
      const stopAfter = <T>(kind: string, answer: Promise<T>): Promise<T> => {
        if (kind === 'Route53Config' && (left -= 1) === 0) void answer.then(stop);
        return answer;
      };
      kubernetes = {
        ...before,
        get: (kind, of, options) => stopAfter(kind.kind, before.get(kind, of, options)),
      };
      await expect(shiftLate()).rejects.toMatchObject({ type: 'Superseded' });
      expect([kept.object('Route53Config', key), zone.changes]).toEqual([asked, 0]);
    });

    it('is not said to be served any more', async () => {
      zone.afterChange = stop;
      await expect(shiftLate()).rejects.toMatchObject({ type: 'Superseded' });
      expect([kept.object('Route53Config', key)?.status, zone.changes]).toEqual([undefined, 1]);
    });

    it('is not told of any more', async () => {
      const apply = kubernetes.apply.bind(kubernetes);
      let told = 0;
      kubernetes.apply = async (object, options) => {
        if (object.kind !== 'Cell') return await apply(object, options);
        told += 1;
        stop();
        throw new Error('Nobody answers.');
      };
      await expect(shiftLate()).rejects.toMatchObject({ type: 'Superseded' });
      expect(told).toBe(1);
    });
  });

  it('is written no second time for what it serves already', async () => {
    await shift(80, 20, 1);
    await shift(80, 20, 2);
    expect(zone.changes).toBe(1);
  });

  it('has what others have changed found', async () => {
    await shift(80, 20, 1);
    expect(await findDrift()).toMatchObject({ watched: 1, drifted: [] });
    zone.records.set('example.com', groups(0, 100));
    expect(await findDrift()).toMatchObject({
      watched: 1,
      drifted: [{ key, difference: 'The records example.com differ in their weights.', isOwnedByCell: true }],
    });
  });

  it('has a write that is under way not taken for what others have changed', async () => {
    await shift(80, 20, 1);
    // The records have it, and the status does not tell of it yet.
    zone.records.set('example.com', groups(50, 50));
    expect(await findDrift(() => shift(50, 50, 2))).toMatchObject({ watched: 1, drifted: [] });
    // The next one has begun by the time of the second look.
    zone.records.set('example.com', groups(20, 80));
    const next = async (): Promise<void> => {
      await shift(20, 80, 3);
      zone.records.set('example.com', groups(0, 100));
    };
    expect(await findDrift(next)).toMatchObject({ watched: 1, drifted: [] });
    expect(await findDrift()).toMatchObject({ drifted: [{ key }] });
  });

  it('is watched at its place, under its own name', async () => {
    await shift(80, 20, 1);
    const object = kept.object('Route53Config', key);
    const happened = { kind: 'Route53Config', event: { type: 'add', object } } as unknown as KindEvent;
    const { type } = aRoute();
    expect(route(happened, viewOf({}))).toContainEqual({ do: 'Watch', type, place });
    const { options } = driftWatchStart({ type, place, intervalSeconds: 60 }, 'okra');
    expect(options).toMatchObject({ workflowId: `drift/${place}`, staticSummary: `HostedZone ${place}` });
  });
});

describe('a table that lacks a kind of load balancer', () => {
  it('does not compile, nor does one that has it under the type of another', () => {
    const complete: KindsOf<Pick<Shapes, 'Route53'>> = { Route53: route53Kind };
    // @ts-expect-error The line is missing.
    const lacking: KindsOf<Pick<Shapes, 'Route53'>> = {};
    // @ts-expect-error Its routes are of the type Route53.
    const misnamed: KindsOf<{ readonly Records: Route53Shape }> = { Records: route53Kind };
    expect(Object.keys(complete)).not.toEqual([...Object.keys(lacking), ...Object.keys(misnamed)]);
  });
});
