import { DeleteClusterCommand } from '@aws-sdk/client-eks';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ACCESS_POLICY, kindOf } from '../../clients/kubernetes/kinds.ts';
import type { AccessPolicySpec } from '../../crds/access-policy.ts';
import { createListener, createNetworkListener, createTargetGroup } from '../../local/aws-fixture.ts';
import { connectEmulatedEKS, createCluster } from '../../local/eks-fixture.ts';
import { Stage } from '../support/stage/stage.ts';
import { apiVersion, type Attempt, type Victim } from './tenants/attempt.ts';
import { attempts } from './tenants/attempts.ts';
import { until } from '../support/until.ts';

interface Told {
  readonly metadata: { readonly generation: number };
  readonly status?: {
    readonly conditions?: readonly { readonly reason: string; readonly message: string }[];
    readonly problems?: readonly {
      readonly cluster?: string;
      readonly reason: string;
      readonly message: string;
    }[];
  };
}

describe('two tenants', () => {
  let stage: Stage;
  let victim: Victim;
  let all: readonly Attempt[];
  let since = 0;
  const policy = (spec: Omit<AccessPolicySpec, 'namespaces'>): Promise<void> =>
    stage.apply({
      apiVersion,
      kind: 'AccessPolicy',
      metadata: { name: stage.namespace },
      spec: { namespaces: [stage.namespace], ...spec },
    });
  /** What is the tenant's own. */
  const own = () => ({
    listeners: [stage.listenerARN],
    targetGroups: [...stage.arns.values()].map((arn) => arn.replace(/[^/]+$/, '*')),
  });

  beforeAll(async () => {
    const stack = inject('stack');
    stage = await Stage.open(stack, { OKRA_SYNC_INTERVAL: '1' });
    const name = `a${stage.namespace.slice(-20)}`;
    const { elbv2, namespace } = stage;
    const { arn: group } = await createTargetGroup(elbv2, name);
    const { arn: networkGroup } = await createTargetGroup(elbv2, `${name}-net`, { protocol: 'TCP' });
    const { listenerArn: listener } = await createListener(elbv2, name);
    const { listenerArn: networkListener } = await createNetworkListener(elbv2, `${name}-net`, networkGroup);
    await elbv2.createRule({
      ListenerArn: listener,
      Priority: 10,
      Conditions: [{ Field: 'host-header', Values: ['alice.example'] }],
      Actions: [{ Type: 'forward', TargetGroupArn: group }],
      Tags: [{ Key: 'okra.mumo.co/owner', Value: 'alice/web' }],
    });
    const cluster = { name: `alice-${namespace}`, endpoint: 'https://127.0.0.1:1' };
    const ownCluster = `mallory-${namespace}`;
    const facts = { endpoint: cluster.endpoint, status: 'ACTIVE', caData: 'QQ==' } as const;
    await createCluster(stack.aws, { ...facts, name: cluster.name, tags: { owner: cluster.name } });
    await createCluster(stack.aws, { ...facts, name: ownCluster });
    const role = 'arn:aws:iam::111122223333:role/alice';
    victim = { listener, networkListener, group, networkGroup, cluster, role, ownCluster };
    await stage.targetGroups('1.0.0', ['own-1'], { role: 'own' });
    await policy({
      ...own(),
      roles: [{ arn: `${role}-shared`, externalIDs: ['mallory'] }],
      clusters: [`arn:aws:eks:*:cluster/${ownCluster}`],
    });
    since = await stage.proxy.lastCall();
    all = attempts(stage, victim);
    await stage.apply({ apiVersion: 'v1', kind: 'List', items: all.map(({ object }) => object) });
  }, 480_000);
  afterAll(async () => {
    await stage.kubernetes.delete(ACCESS_POLICY, { name: stage.namespace });
    const eks = connectEmulatedEKS(stage.stack.aws);
    for (const name of [victim.cluster.name, victim.ownCluster])
      await eks.send(new DeleteClusterCommand({ name }));
    eks.destroy();
    await stage.close();
  });

  /** What the status of an object says is wrong. */
  const told = async ({ kind, name }: { readonly kind: string; readonly name: string }) => {
    const { namespace, kubernetes } = stage;
    const object = await kubernetes.get<Told>(kindOf({ apiVersion, kind }), { namespace, name });
    const { conditions = [], problems = [] } = object?.status ?? {};
    return [...problems, ...conditions.map((one) => ({ cluster: undefined, ...one }))];
  };

  it('each keep what is theirs, whatever the other writes', async () => {
    const table = await Promise.all(
      all.map(async ({ kind, field, tried, reason, name, saidBy }) => {
        const by = saidBy ?? { kind, name };
        const found = await until(
          `${kind} ${name} to be told ${reason}`,
          async () =>
            (await told(by)).find(
              (one) => one.reason === reason && (saidBy === undefined || one.cluster === name),
            ),
          { seen: () => told(by) },
        );
        expect(found.message).not.toMatch(/AKIA|assumed-role|k8s-aws-v1/);
        return `${kind} × ${field} × ${tried}: ${found.reason}`;
      }),
    );
    expect(table).toEqual(all.map((one) => `${one.kind} × ${one.field} × ${one.tried}: ${one.reason}`));
    expect(new Set(all.map(({ kind }) => kind)).size).toBe(9);
  });

  it('and nothing of the other was read, written, registered or deleted', async () => {
    await Promise.all(all.map(({ object, name }) => stage.delete(kindOf(object), name)));
    const { listener, networkListener, group, networkGroup } = victim;
    const places = [listener, networkListener].map((arn) => arn.split('/').slice(1, 4).join('/'));
    const calls = (await stage.proxy.calls({ since })).filter(({ parameters, userAgent }) => {
      const text = JSON.stringify(parameters);
      const isTheirs = [...places, group, networkGroup].some((one) => text.includes(one));
      return isTheirs && !userAgent.includes('okra-stage');
    });
    expect(calls.map(({ action }) => action)).toEqual([]);
    expect(await stage.weights(10, listener)).toEqual({ [group]: expect.any(Number) });
    expect(await stage.rules()).toHaveLength(1);
  });

  it('can do all that they may', async () => {
    await stage.targetGroups('1.0.0', ['web-1']);
    await policy(own());
    await stage.apply(stage.cell('web', { steps: [{ setWeight: 20 }, { pause: {} }, { setWeight: 60 }] }));
    await stage.untilWeights({ 'web-1': 100 });
    await stage.untilPhase('web', 'Completed', '1.0.0');
  });

  it('lose no traffic with their leave: what goes forward is held, and what takes it back is not', async () => {
    await stage.targetGroups('2.0.0', ['web-2']);
    await stage.untilStatus(
      'web',
      'told NotAllowed',
      ({ rejectedTargetGroups: [one] = [] }) => one?.reason === 'NotAllowed',
    );
    expect(await stage.weights()).toEqual({ 'web-1': 100 });
    await policy(own());
    await stage.untilPhase('web', 'Paused');
    await stage.untilWeights({ 'web-1': 80, 'web-2': 20 });
    await policy({});
    await stage.signal('web', 'resume');
    await stage.signal('web', 'promote');
    await stage.untilStatus('web', 'held', ({ conditions = [] }) =>
      conditions.some(
        ({ type, status, reason }) => type === 'Degraded' && status === 'True' && reason === 'NotAllowed',
      ),
    );
    expect(await stage.weights()).toEqual({ 'web-1': 80, 'web-2': 20 });
    await stage.signal('web', 'abort');
    await stage.untilWeights({ 'web-1': 100, 'web-2': 0 });
    const { blockedVersions } = await stage.untilPhase('web', 'Reverted', '1.0.0');
    expect(blockedVersions?.map(({ version }) => version)).toEqual(['2.0.0']);
  });
});
