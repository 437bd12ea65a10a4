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
const [own, other] = [arnOf('web'), arnOf('other')];
const key = { namespace: 'shop', name: 'web' };
const kind = 'AWSTargetGroupBinding';

/** A binding of pods in a target group. */
function binding() {
  const groups = new Map([[own, new Set<string>()]]);
  const pods = new Set<string>();
  const world = {
    pods,
    allowed: ['*'],
    groups,
    /** The TargetGroupBindings of the cluster; undefined while it does not answer. */
    managers: [] as readonly RemoteObject[] | undefined,
    /** The target groups that AWS does not describe. */
    hidden: new Set<string>(),
  };
  const objects = new Objects();
  const client = objects.client();
  const elbv2 = unused<ELBv2>({
    targetGroups: ([arn = '']) => {
      if (world.hidden.has(arn)) return Promise.reject(new Error('Hidden.'));
      const found = { TargetGroupArn: arn, TargetType: 'ip' as const };
      return Promise.resolve(groups.has(arn) ? [found] : []);
    },
    targetHealth: (arn) =>
      Promise.resolve([...(groups.get(arn) ?? [])].map((Id) => ({ Target: { Id, Port: 80 } }))),
    registerTargets: (arn, batch) => {
      const there = groups.get(arn);
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
      labels: { app: 'web' },
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
    },
    elbv2: regions,
    limits: { writes: unlimited, registrations: unlimited },
    reader: {
      find: () => Promise.resolve(found),
      read: async (_, what, read) => {
        if (!what.startsWith('TargetGroupBindings'))
          return { ok: true, value: { ok: true, objects: seen() } } as never;
        const { managers } = world;
        if (managers === undefined) return { ok: false, reason: 'AccessDenied', message: 'No.' };
        const list = (asked: KindRef) => Promise.resolve(asked === TARGET_GROUP_BINDING ? managers : []);
        const remote = unused<KubernetesClient>({ list: list as never });
        return { ok: true, value: await read({ client: remote, namespaces: [] }) };
      },
    },
    graceSeconds: 0,
  });
  let generation = 0;
  const sync = async () => {
    generation += 1;
    const { allowed } = world;
    const targets = [
      { name: 'web', port: 80, clusterName: 'c1', podSelector: { matchLabels: { app: 'web' } } },
    ];
    objects.put({
      kind,
      metadata: { ...key, uid: 'u', generation, finalizers: [BINDING_FINALIZER] },
      spec: { targetGroupARN: own, targets },
    });
    objects.put({
      kind: 'AccessPolicy',
      metadata: { name: 'shop' },
      spec: { namespaces: ['shop'], targetGroups: allowed },
    });
    await asActivity(() => withHeartbeat(() => syncTargetGroupBinding(key)));
    const { problems = [], targets: recorded } = objects.status(kind, 'web');
    return {
      registered: [...(groups.get(own) ?? [])].toSorted(),
      problems: (problems as { reason: string }[]).map(({ reason }) => reason),
      recorded,
    };
  };
  const problems = () =>
    ((objects.status(kind, 'web')['problems'] ?? []) as { message: string }[])
      .map(({ message }) => message)
      .join();
  return { world, sync, problems };
}

const first = ['10.0.0.1', '10.0.0.2'];
const second = ['10.0.0.2', '10.0.0.3'];

const manager = (spec: object, metadata: object = {}): RemoteObject =>
  trimRemote({ metadata: { name: 'web', namespace: 'legacy', ...metadata }, spec });

describe('a target group that a TargetGroupBinding manages', () => {
  it('gets no targets, and the problem names who would deregister them', async () => {
    const { world, sync, problems } = binding();
    world.pods = new Set(first);
    world.managers = [manager({ targetGroupARN: own })];
    expect(await sync()).toMatchObject({ registered: [], problems: ['TargetGroupManaged'] });
    expect(problems()).toContain('TargetGroupBinding legacy/web of cluster c1 manages it');
    world.managers = [];
    expect(await sync()).toMatchObject({ registered: first, problems: [] });
  });

  it.each<[string, readonly RemoteObject[] | undefined]>([
    ['shares it', [manager({ targetGroupARN: own, multiClusterTargetGroup: true })]],
    ['is about another', [manager({ targetGroupARN: other })]],
    ['is being deleted', [manager({ targetGroupARN: own }, { deletionTimestamp: '2026-11-25T12:00:00Z' })]],
    ['is not known, as the cluster does not say', undefined],
  ])('is not one whose TargetGroupBinding %s', async (_, managers) => {
    const { world, sync } = binding();
    Object.assign(world, { managers, pods: new Set(first) });
    expect(await sync()).toMatchObject({ registered: first, problems: [] });
  });
});

describe('a binding whose target group is not to be had', () => {
  it.each<[string, (world: ReturnType<typeof binding>['world']) => unknown, string]>([
    ['it may not use any more', (world) => (world.allowed = ['*targetgroup/other/*']), 'NotAllowed'],
    ['AWS does not describe', (world) => world.hidden.add(own), 'Unavailable'],
    ['AWS does not know any more', (world) => world.groups.delete(own), 'TargetGroupNotFound'],
  ])('keeps what it registered in one that %s', async (_, change, reason) => {
    const { world, sync } = binding();
    world.pods = new Set(first);
    const { recorded } = await sync();
    change(world);
    world.pods = new Set(second);
    expect(await sync()).toMatchObject({ recorded, problems: [reason] });
  });
});
