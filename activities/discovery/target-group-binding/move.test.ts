import { TooManyTargetsException } from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, it } from 'vitest';
import { unlimited } from '../../../clients/rate-limiter.ts';
import type { ELBv2, ELBv2Regions } from '../../../clients/aws/elbv2.ts';
import { TARGET_GROUP_BINDING, type KindRef } from '../../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import { trimRemote, type RemoteObject } from '../../../domain/discovery/clusters/seen.ts';
import { BINDING_FINALIZER } from '../../../domain/kubernetes/labels.ts';
import { asActivity, Objects } from '../../checks/testing/objects.ts';
import { withHeartbeat } from '../../heartbeat.ts';
import { targetGroupBindingActivities } from './target-group-binding.ts';
import { unused } from './testing/unused.ts';

const arnOf = (name: string): string =>
  `arn:aws:elasticloadbalancing:eu-central-1:111122223333:targetgroup/${name}/4567`;
const [from, to, third] = [arnOf('from'), arnOf('to'), arnOf('third')];
const key = { namespace: 'shop', name: 'web' };
const kind = 'AWSTargetGroupBinding';

/** A binding that moves from one target group, to which a load balancer forwards, to another. */
function moving() {
  const groups = new Map([from, to].map((arn) => [arn, new Set<string>()]));
  const pods = new Set<string>();
  const world = {
    pods,
    app: 'web',
    arn: from,
    quota: Infinity,
    users: ['lb'],
    /** Whether they forward to every target group, and not only to the first. */
    isEachUsed: false,
    allowed: ['*'],
    isReleased: false,
    apps: new Map<string, string>(),
    groups,
    /** The TargetGroupBindings of the cluster; undefined while it does not answer. */
    managers: [] as readonly RemoteObject[] | undefined,
    /** The target groups of which AWS does not say what is in them. */
    silent: new Set<string>(),
    /** The target groups that AWS does not describe. */
    hidden: new Set<string>(),
  };
  const objects = new Objects();
  const client = objects.client();
  const elbv2 = unused<ELBv2>({
    targetGroups: ([arn = '']) => {
      if (world.hidden.has(arn)) return Promise.reject(new Error('Hidden.'));
      const LoadBalancerArns = arn === from || world.isEachUsed ? world.users : [];
      const found = { TargetGroupArn: arn, TargetType: 'ip' as const, LoadBalancerArns };
      return Promise.resolve(groups.has(arn) ? [found] : []);
    },
    targetHealth: (arn) =>
      world.silent.has(arn)
        ? Promise.reject(new Error('Silent.'))
        : Promise.resolve([...(groups.get(arn) ?? [])].map((Id) => ({ Target: { Id, Port: 80 } }))),
    registerTargets: (arn, batch) => {
      const there = groups.get(arn);
      if (arn === to && (there?.size ?? 0) + batch.length > world.quota)
        return Promise.reject(new TooManyTargetsException({ $metadata: {}, message: 'full' }));
      for (const { id } of batch) there?.add(id);
      return Promise.resolve();
    },
    deregisterTargets: (arn, batch) =>
      Promise.resolve(batch.forEach(({ id }) => void groups.get(arn)?.delete(id))),
  });
  const every = (): ELBv2 => elbv2;
  const regions: ELBv2Regions = Object.assign(every, { inRegion: every });
  const found = [{ cluster: { secret: 'c1', name: 'c1', labels: {} }, secret: {} as never }];
  const seen = () =>
    [...world.pods].map((address) => ({
      namespace: 'shop',
      name: address,
      labels: { app: world.apps.get(address) ?? 'web' },
      address,
      isReady: true,
      isEnding: false,
    }));
  const { syncTargetGroupBinding } = targetGroupBindingActivities({
    kubernetes: {
      ...client,
      apply: async (object, options) => {
        await client.apply(object, options);
        return objects.all.get(`${kind}/web`) as never;
      },
      serves: () => Promise.resolve(true),
      // Only its finalizer is patched.
      patch: () => {
        world.isReleased = true;
        return Promise.resolve({} as never);
      },
    },
    elbv2: regions,
    limits: { writes: unlimited, registrations: unlimited },
    reader: {
      by: 'me',
      begin: () =>
        Object.assign(
          unused<ReturnType<Parameters<typeof targetGroupBindingActivities>[0]['reader']['begin']>>({
            find: () => Promise.resolve(found),
            read: async (_, what, read) => {
              const isOfManagers = what.startsWith('TargetGroupBindings');
              if (!isOfManagers)
                return { ok: true, value: { ok: true, nodes: [], pods: seen() }, isLate: false } as never;
              const { managers } = world;
              if (managers === undefined)
                return { ok: false, reason: 'AccessDenied', message: 'No.', isLate: false };
              const list = (asked: KindRef) =>
                Promise.resolve(asked === TARGET_GROUP_BINDING ? managers : []);
              const value = await read({
                client: unused<KubernetesClient>({ list: list as never }),
                namespaces: [],
              });
              return { ok: true, value, isLate: false };
            },
          }),
          { [Symbol.dispose]: () => undefined },
        ),
    },
    graceSeconds: 0,
  });
  let generation = 0;
  const sync = async () => {
    generation += 1;
    const { app, arn: targetGroupARN, allowed } = world;
    const targets = [{ name: 'web', port: 80, clusterName: 'c1', podSelector: { matchLabels: { app } } }];
    objects.put({
      kind,
      metadata: { ...key, uid: 'u', generation, finalizers: [BINDING_FINALIZER] },
      spec: { targetGroupARN, targets },
    });
    objects.put({
      kind: 'AccessPolicy',
      metadata: { name: 'shop' },
      spec: { namespaces: ['shop'], targetGroups: allowed },
    });
    await asActivity(() => withHeartbeat(() => syncTargetGroupBinding(key)));
    const { problems = [], former } = objects.status(kind, 'web');
    return {
      from: [...(groups.get(from) ?? [])].toSorted(),
      to: [...(groups.get(to) ?? [])].toSorted(),
      problems: (problems as { reason: string }[]).map(({ reason }) => reason),
      former,
    };
  };
  const deleted = async () => {
    const [object] = objects.of(kind);
    if (object === undefined) throw new Error('Expected a binding, got none.');
    const { metadata } = object;
    objects.put({ ...object, metadata: { ...metadata, deletionTimestamp: '2026-11-25T12:00:00Z' } });
    world.isReleased = false;
    await asActivity(() => withHeartbeat(() => syncTargetGroupBinding(key)));
    return world.isReleased;
  };
  const problems = () =>
    ((objects.status(kind, 'web')['problems'] ?? []) as { message: string }[])
      .map(({ message }) => message)
      .join();
  return { world, sync, deleted, problems };
}

const first = ['10.0.0.1', '10.0.0.2'];
const second = ['10.0.0.2', '10.0.0.3'];

/** Has a binding move; then its pods are others, and something else changes as well. */
async function moved(change: (world: ReturnType<typeof moving>['world']) => void) {
  const { world, sync } = moving();
  world.pods = new Set(first);
  await sync();
  world.arn = to;
  change(world);
  await sync();
  world.pods = new Set(second);
  const after = await sync();
  return { world, sync, after };
}

const manager = (spec: object, metadata: object = {}): RemoteObject =>
  trimRemote({ metadata: { name: 'web', namespace: 'legacy', ...metadata }, spec });

describe('a target group that a TargetGroupBinding manages', () => {
  it('gets no targets, and the problem names who would deregister them', async () => {
    const { world, sync, problems } = moving();
    world.pods = new Set(first);
    world.managers = [manager({ targetGroupARN: from })];
    expect(await sync()).toMatchObject({ from: [], problems: ['TargetGroupManaged'] });
    expect(problems()).toContain('TargetGroupBinding legacy/web of cluster c1 manages it');
    world.managers = [];
    expect(await sync()).toMatchObject({ from: first, problems: [] });
  });

  it('keeps targets that move there where they are', async () => {
    const { world, sync } = moving();
    world.pods = new Set(first);
    await sync();
    Object.assign(world, { arn: to, managers: [manager({ targetGroupARN: to })] });
    world.pods = new Set(second);
    expect(await sync()).toMatchObject({ from: second, to: [], problems: ['TargetGroupManaged'] });
  });

  it.each<[string, readonly RemoteObject[] | undefined]>([
    ['shares it', [manager({ targetGroupARN: from, multiClusterTargetGroup: true })]],
    ['is about another', [manager({ targetGroupARN: to })]],
    ['is being deleted', [manager({ targetGroupARN: from }, { deletionTimestamp: '2026-11-25T12:00:00Z' })]],
    ['is not known, as the cluster does not say', undefined],
  ])('is not one whose TargetGroupBinding %s', async (_, managers) => {
    const { world, sync } = moving();
    Object.assign(world, { managers, pods: new Set(first) });
    expect(await sync()).toMatchObject({ from: first, problems: [] });
  });
});

describe('a binding that moves', () => {
  it('keeps its targets up to date where a load balancer forwards to them, until that ends', async () => {
    const { world, sync, after } = await moved(() => undefined);
    expect(after).toMatchObject({ from: second, to: second, problems: ['TargetGroupInUse'] });
    world.users = [];
    expect(await sync()).toEqual({ from: [], to: second, problems: [], former: undefined });
  });

  it('keeps its targets up to date where there is no room for all in the new target group', async () => {
    const { world, sync, after } = await moved((one) => Object.assign(one, { quota: 1, users: [] }));
    expect(after).toMatchObject({ from: second, problems: ['TooManyTargets', 'TargetGroupNotFilled'] });
    expect(after.to).toHaveLength(1);
    world.quota = 3;
    expect(await sync()).toEqual({ from: [], to: second, problems: [], former: undefined });
  });

  it('brings targets back where a load balancer forwards to them, though there was none for a time', async () => {
    const { world, sync } = await moved(() => undefined);
    world.pods = new Set();
    expect(await sync()).toMatchObject({ from: [], to: [], problems: ['TargetGroupInUse'] });
    world.pods = new Set(second);
    expect(await sync()).toMatchObject({ from: second, to: second });
  });

  it('can be deleted while a load balancer forwards to where it has no targets any more', async () => {
    const { world, sync, deleted } = moving();
    world.pods = new Set(first);
    await sync();
    world.arn = to;
    await sync();
    expect(await deleted()).toBe(false);
    world.pods = new Set();
    await sync();
    expect(await deleted()).toBe(true);
  });

  it.each([
    ['it asks for other targets by now', { app: 'other' }, []],
    ['it may not use the target group any more', { allowed: ['*targetgroup/to/*'] }, second],
  ])(
    'leaves its targets as they are where a load balancer forwards to them, if %s',
    async (_, change, want) => {
      const { after } = await moved((world) => Object.assign(world, change));
      expect(after).toMatchObject({ from: first, to: want, problems: ['TargetGroupInUse'] });
    },
  );

  it('brings other targets that it asks for to no target group but the new one, though AWS does not know that', async () => {
    const { world, sync } = moving();
    world.pods = new Set(first);
    await sync();
    Object.assign(world, { arn: arnOf('unknown'), app: 'next' });
    world.apps.set('10.0.0.9', 'next');
    world.pods = new Set([...first, '10.0.0.9']);
    expect(await sync()).toMatchObject({ from: first, problems: ['TargetGroupNotFound'] });
    world.app = 'web';
    world.pods = new Set(second);
    expect(await sync()).toMatchObject({ from: second, problems: ['TargetGroupNotFound'] });
    Object.assign(world, { arn: to, app: 'next' });
    world.pods = new Set([...second, '10.0.0.9']);
    expect(await sync()).toMatchObject({ from: second, to: ['10.0.0.9'], problems: ['TargetGroupInUse'] });
  });

  it('leaves its targets as they are where it asks for other targets after it has moved', async () => {
    const { world, sync } = await moved(() => undefined);
    world.app = 'other';
    world.pods = new Set();
    expect(await sync()).toMatchObject({ from: second, to: [], problems: ['TargetGroupInUse'] });
    world.app = 'web';
    world.pods = new Set(first);
    expect(await sync()).toMatchObject({ from: first, to: first, problems: ['TargetGroupInUse'] });
  });

  it.each<[string, (world: ReturnType<typeof moving>['world']) => unknown, string]>([
    ['does not know the next one', (world) => (world.arn = arnOf('unknown')), 'TargetGroupNotFound'],
    ['does not know the new one any more', (world) => world.groups.delete(to), 'TargetGroupNotFound'],
    ['does not say what is in the new one', (world) => world.silent.add(to), 'Unavailable'],
  ])('keeps up what a load balancer forwards to where AWS %s', async (_, change, reason) => {
    const { world, sync } = await moved(() => undefined);
    change(world);
    world.pods = new Set(first);
    expect(await sync()).toMatchObject({ from: first, problems: [reason] });
  });

  it('is kept up where it is while it may not use the target group that it asks for', async () => {
    const { world, sync } = moving();
    world.pods = new Set(first);
    await sync();
    Object.assign(world, { arn: to, allowed: ['*targetgroup/from/*'], pods: new Set(second) });
    expect(await sync()).toMatchObject({ from: second, to: [], problems: ['NotAllowed'] });
  });

  it('is kept up where it is while AWS does not describe the target group that it asks for', async () => {
    const { world, sync } = moving();
    world.pods = new Set(first);
    await sync();
    Object.assign(world, { arn: to, pods: new Set(second) });
    world.hidden.add(to);
    expect(await sync()).toMatchObject({ from: second, to: [], problems: ['Unavailable'] });
    world.hidden.clear();
    expect(await sync()).toMatchObject({ from: second, to: second, problems: ['TargetGroupInUse'] });
  });

  it('stays where it is while its status has no room for one more former target group', async () => {
    const { world, sync } = moving();
    world.isEachUsed = true;
    world.pods = new Set(first);
    const arns = Array.from({ length: 22 }, (_, index) => arnOf(`g${index}`));
    const targetsIn = (index: number) => [...(world.groups.get(arns[index] ?? '') ?? [])].toSorted();
    let after: unknown;
    for (const arn of arns) {
      world.groups.set(arn, new Set());
      world.arn = arn;
      after = await sync();
    }
    expect(after).toMatchObject({ former: { length: 20 }, problems: { 0: 'TooManyFormerGroups' } });
    world.pods = new Set(second);
    await sync();
    expect([targetsIn(0), targetsIn(20), targetsIn(21)]).toEqual([second, second, []]);
    world.isEachUsed = false;
    await sync();
    expect(await sync()).toMatchObject({ problems: [] });
    expect([targetsIn(0), targetsIn(20), targetsIn(21)]).toEqual([[], [], second]);
  });

  it.each([
    ['it asks for other targets as well', ({ world }: ReturnType<typeof moving>) => void (world.app = 'api')],
    [
      'AWS does not know the one that it is in any more',
      ({ world }: ReturnType<typeof moving>) => void world.groups.delete(arnOf('g20')),
    ],
  ])('makes room in its status, and moves on, though %s', async (_, change) => {
    const { world, sync, ...others } = moving();
    world.isEachUsed = true;
    world.pods = new Set(first);
    for (let index = 0; index <= 20; index += 1) {
      world.arn = arnOf(`g${index}`);
      world.groups.set(world.arn, new Set());
      await sync();
    }
    change({ world, sync, ...others });
    world.pods.forEach((address) => world.apps.set(address, world.app));
    world.arn = to;
    expect(await sync()).toMatchObject({ to: [], problems: { 0: 'TooManyFormerGroups' } });
    world.isEachUsed = false;
    await sync();
    expect(await sync()).toEqual({ from: [], to: first, problems: [], former: undefined });
  });

  it('says what is wrong in the new target group also where the former one does not answer', async () => {
    const { world, sync } = await moved((one) => Object.assign(one, { quota: 1 }));
    world.silent.add(from);
    const problems = ['TooManyTargets', 'TargetGroupNotFilled', 'Unavailable'];
    expect(await sync()).toMatchObject({ problems });
  });

  it.each(['is left', 'is asked for'])(
    'brings targets back where a load balancer forwards to them, though there was none when another one %s',
    async (what) => {
      const { world, sync } = await moved(() => undefined);
      world.groups.set(third, new Set());
      if (what === 'is asked for') {
        world.pods = new Set();
        await sync();
      }
      world.arn = third;
      world.silent.add(to);
      await sync();
      world.pods = new Set();
      await sync();
      world.silent.delete(to);
      await sync();
      world.pods = new Set(first);
      expect(await sync()).toMatchObject({ from: first, to: [], problems: ['TargetGroupInUse'] });
      world.users = [];
      expect(await sync()).toEqual({ from: [], to: [], problems: [], former: undefined });
    },
  );
});
