import type { NetworkLoadBalancerShape } from '../../../domain/load-balancers/network-load-balancer/network-load-balancer.ts';
import type { Action, Rule } from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, it } from 'vitest';
import type { ELBv2 } from '../../../clients/aws/elbv2.ts';
import type { ObservedForwarding } from '../../../domain/load-balancers/load-balancer.ts';
import { arnOf } from '../../../domain/testing/builders.ts';
import {
  anyWriting,
  dependenciesWith,
  trustedBy,
  withoutWaits,
} from '../application-load-balancer/testing/apply.ts';
import { networkLoadBalancer } from './network-load-balancer.ts';
import type { ApplyRequest } from '../port.ts';

type Request = ApplyRequest<NetworkLoadBalancerShape>;
type Weights = Readonly<Record<string, number>>;

const listenerARN = 'arn:aws:elasticloadbalancing:ap-northeast-1:111122223333:listener/net/demo/a/b';
const key = { namespace: 'default', name: 'tcp' };
const sticky = { Enabled: true, DurationSeconds: 300 };
const groupsOf = (weights: Weights) =>
  Object.entries(weights).map(([name, weight]) => ({ name, arn: arnOf(name), weight }));

const forward = (weights: Weights, TargetGroupStickinessConfig?: object): Action => ({
  Type: 'forward',
  ForwardConfig: {
    TargetGroups: groupsOf(weights).map(({ arn, weight }) => ({ TargetGroupArn: arn, Weight: weight })),
    ...(TargetGroupStickinessConfig === undefined ? {} : { TargetGroupStickinessConfig }),
  },
});
const byIPv6: Rule = {
  RuleArn: `${listenerARN.replace(':listener/', ':listener-rule/')}/c`,
  Priority: '10',
  Conditions: [{ Field: 'source-ip', SourceIpConfig: { IpAddressType: 'ipv6' } }],
  Actions: [forward({ six: 1 })],
};

/** A listener of ours, whose default action a write replaces as a whole. */
function aListener(action: Action, ...rules: Rule[]) {
  const now = {
    action,
    shown: undefined as Action | undefined,
    refuse: () => undefined as void,
    rules,
    writes: 0,
    reads: 0,
    hangs: false,
    fails: false,
    tagged: 0,
    owner: 'default/tcp@here' as string | undefined,
    tags: {} as Readonly<Record<string, string>>,
  };
  const read = <Value>(value: () => Value, signal?: AbortSignal): Promise<Value> => {
    now.reads += 1;
    if (now.fails) return Promise.reject(Object.assign(new Error('Rate exceeded'), { name: 'Throttling' }));
    if (!now.hangs) return Promise.resolve(value());
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));
  };
  const elbv2: Partial<ELBv2> = {
    ready: () => Promise.resolve(),
    listener: (_, signal) =>
      read(() => ({ ListenerArn: listenerARN, DefaultActions: [now.shown ?? now.action] }), signal),
    rulesOf: (_, signal) => read(() => now.rules, signal),
    tagsOf: () =>
      Promise.resolve<Record<string, string>>({
        ...now.tags,
        ...(now.owner === undefined ? {} : { 'okra.mumo.co/owner': now.owner }),
      }),
    tag: (_, tags) => {
      now.tagged += 1;
      now.owner = tags['okra.mumo.co/owner'];
      return Promise.resolve();
    },
    setDefaultAction: async (_, written) => {
      await Promise.resolve();
      now.refuse();
      Object.assign(now, { action: written, hangs: false, writes: now.writes + 1 });
    },
  };
  const calls = networkLoadBalancer.connect(dependenciesWith({ elbv2: elbv2 as ELBv2 }));
  return { now, calls };
}

const asked = (weights: Weights, more: object = {}): Request['forwarding'] => ({
  type: 'AWSNetworkLoadBalancer',
  listenerARN,
  listener: { forward: { targetGroups: [...groupsOf(weights)], ...more } },
});

function apply(
  { calls }: ReturnType<typeof aListener>,
  weights: Weights,
  { verify = false, ...change }: Partial<Request> & { readonly verify?: boolean } = {},
) {
  const trusts = trustedBy({ verify, ...change });
  const request: Request = {
    key,
    forwarding: asked(weights),
    adopt: false,
    urgent: false,
    trusts,
    ...change,
  };
  return calls.apply(request, anyWriting);
}

const stickinessOf = ({ now }: ReturnType<typeof aListener>): unknown =>
  now.action.ForwardConfig?.TargetGroupStickinessConfig;

describe('a listener that keeps clients with a target group', () => {
  it('continues doing so with each write, and the status says so', async () => {
    const listener = aListener(forward({ a: 100, b: 0 }, sticky));
    const served = await apply(listener, { a: 80, b: 20 });
    expect(stickinessOf(listener)).toEqual(sticky);
    expect(networkLoadBalancer.status(served)).toMatchObject({
      listener: { forward: { targetGroupStickiness: { enabled: true, durationSeconds: 300 } } },
    });
  });

  it('does so too when someone has told it to right before the write', async () => {
    const listener = aListener(forward({ a: 100, b: 0 }));
    const served = await apply(listener, { a: 90, b: 10 });
    listener.now.action = forward({ a: 90, b: 10 }, sticky);
    await apply(listener, { a: 80, b: 20 }, { observed: served });
    expect(stickinessOf(listener)).toEqual(sticky);
  });

  it('keeps them by what the status says where traffic is taken back and ELBv2 does not answer', async () => {
    const listener = aListener(forward({ a: 80, b: 20 }, sticky));
    const served: ObservedForwarding<'AWSNetworkLoadBalancer'> = await apply(listener, { a: 80, b: 20 });
    listener.now.hangs = true;
    await apply(listener, { a: 100 }, { observed: served, urgent: true });
    expect(listener.now.action).toEqual(forward({ a: 100 }, sticky));
  });

  it.each([
    ['lets them go', { targetGroupStickiness: { enabled: false } }, sticky, { Enabled: false }],
    ['begins to keep them', { targetGroupStickiness: { enabled: true } }, undefined, { Enabled: true }],
    ['keeps them as before', { targetGroupStickiness: { enabled: true } }, sticky, sticky],
  ])('%s when the spec says so', async (_, more, before, want) => {
    const listener = aListener(forward({ a: 100, b: 0 }, before));
    await apply(listener, {}, { forwarding: asked({ a: 80, b: 20 }, more) });
    expect(stickinessOf(listener)).toEqual(want);
  });

  it('is written when that alone differs from the spec, and known again from its object', async () => {
    const listener = aListener(forward({ a: 80, b: 20 }, sticky));
    const before = await apply(listener, { a: 80, b: 20 });
    const forwarding = asked({ a: 80, b: 20 }, { targetGroupStickiness: { enabled: false } });
    const served = await apply(listener, {}, { forwarding, observed: before });
    expect(stickinessOf(listener)).toEqual({ Enabled: false });
    const object = {
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'AWSNetworkLoadBalancerConfig',
      metadata: { name: 'tcp' },
      spec: networkLoadBalancer.spec(forwarding, 'Retain'),
      status: networkLoadBalancer.status(served),
    };
    expect(networkLoadBalancer.read(object)).toMatchObject({ desired: forwarding, observed: served });
  });
});

describe('a listener that the AWS Load Balancer Controller manages', () => {
  it('is not written for an object that it does not serve yet, and the conflict names the tags', async () => {
    const listener = aListener(forward({ a: 100 }));
    listener.now.owner = undefined;
    listener.now.tags = { 'service.k8s.aws/stack': 'shop/tcp' };
    const route = { type: 'AWSNetworkLoadBalancer', listenerARN } as const;
    const look = { key, route, selected: groupsOf({ a: 100 }), adopt: true };
    const conflict = {
      type: 'Conflict',
      message: expect.stringContaining('service.k8s.aws/stack=shop/tcp') as string,
    };
    await expect(apply(listener, { a: 80, b: 20 }, { adopt: true })).rejects.toMatchObject(conflict);
    await expect(listener.calls.inspect(look, anyWriting.signal)).rejects.toMatchObject(conflict);
    expect([listener.now.tagged, listener.now.writes]).toEqual([0, 0]);
  });
});

describe('a listener that reads show as it was before the last write', () => {
  /** One whose weights were just changed. */
  async function behind() {
    const before = forward({ a: 100, b: 0 }, sticky);
    const listener = aListener(before);
    const served = await apply(listener, { a: 100, b: 0 });
    listener.now.action = forward({ a: 80, b: 20 }, sticky);
    listener.now.shown = before;
    return { listener, served };
  }

  it('is taken back where nobody knows what it serves, and continues keeping clients', async () => {
    const { listener, served } = await behind();
    await apply(listener, { a: 100, b: 0 }, { observed: served, urgent: true, verify: true });
    expect([listener.now.action, listener.now.writes]).toEqual([forward({ a: 100, b: 0 }, sticky), 1]);
  });

  it.each([
    ['as long as reads show nothing to undo', true, undefined],
    ['and is tried again where they do', false, 'Throttling'],
  ])('is taken back without a write that ELBv2 refuses, %s', async (_, isBehind, want) => {
    const { listener, served } = await behind();
    listener.now.refuse = () => {
      if (!isBehind) listener.now.shown = undefined;
      throw Object.assign(new Error('Rate exceeded'), { name: 'Throttling' });
    };
    const how = { observed: served, urgent: true, verify: true };
    const taken = withoutWaits(() => apply(listener, { a: 100, b: 0 }, how));
    const came = await taken.catch((error: unknown) => error);
    expect(came instanceof Error ? came.name : undefined).toBe(want);
  });

  it.each([
    ['a look that finds nothing else', { verify: true }],
    ['what is known to serve already', { urgent: true }],
  ])('is not written for %s', async (_, how) => {
    const { listener, served } = await behind();
    await apply(listener, { a: 100, b: 0 }, { observed: served, ...how });
    expect(listener.now.writes).toBe(0);
  });
});

describe('a rule that takes flows past the weights', () => {
  const conflict = {
    type: 'Conflict',
    message: expect.stringContaining(`rule 10 (source-ip ipv6 → six, ${byIPv6.RuleArn})`) as string,
  };
  const { signal } = new AbortController();

  it('is a conflict for a write, right before it as well, and nothing is written', async () => {
    const listener = aListener(forward({ a: 100, b: 0 }));
    const served = await apply(listener, { a: 90, b: 10 });
    listener.now.rules = [byIPv6];
    for (const verify of [false, true]) {
      await expect(apply(listener, { a: 80, b: 20 }, { observed: served, verify })).rejects.toMatchObject(
        conflict,
      );
    }
    expect(listener.now.action).toEqual(forward({ a: 90, b: 10 }));
  });

  it('keeps no traffic from being taken back', async () => {
    const listener = aListener(forward({ a: 80, b: 20 }), byIPv6);
    await apply(listener, { a: 100 }, { urgent: true, verify: true });
    expect(listener.now.action).toEqual(forward({ a: 100 }));
  });

  it('is a conflict before a listener is taken over, and nothing is tagged', async () => {
    const listener = aListener(forward({ a: 100 }), byIPv6);
    const other = { namespace: 'default', name: 'other' };
    await expect(apply(listener, { a: 100 }, { key: other, adopt: true })).rejects.toMatchObject(conflict);
    expect(listener.now.tagged).toBe(0);
  });

  it.each<[string, Action, Rule[], string]>([
    ['is found', forward({ a: 100 }), [byIPv6], 'Flows are taken past the weights by rule 10'],
    ['is not found where there is none', forward({ a: 100 }), [], ''],
    ['does not hide other weights', forward({ b: 100 }), [], 'differs in its weights'],
    ['does not hide clients that are kept', forward({ a: 100 }, sticky), [], 'in how it keeps clients'],
  ])('%s by a look for drift', async (_, action, rules, want) => {
    const { calls } = aListener(action, ...rules);
    const found = await calls.drift(listenerARN, [{ key, observed: asked({ a: 100 }) }], signal);
    expect(found.map(({ difference }) => difference).join(' ')).toContain(want);
    expect(found).toHaveLength(want === '' ? 0 : 1);
  });
});

describe('a listener that the status does not name', () => {
  const elsewhere = { ...asked({ a: 100 }), listenerARN: `${listenerARN}/elsewhere` };
  it.each([
    ['no status', {}],
    ['the status of another listener', { observed: elsewhere }],
  ])('is not written before its owner has been read: %s', async (_, how) => {
    const listener = aListener(forward({ six: 100 }));
    Object.assign(listener.now, { owner: 'default/other@here', fails: true });
    const taken = apply(listener, { a: 100 }, { urgent: true, verify: true, ...how });
    await expect(taken).rejects.toThrow('Rate exceeded');
    expect(listener.now.writes).toBe(0);
  });
});

describe('a listener that another object has taken over since the status was written', () => {
  async function lost() {
    const listener = aListener(forward({ a: 80, b: 20 }));
    const served = await apply(listener, { a: 80, b: 20 });
    listener.now.owner = 'default/other@here';
    return { listener, served };
  }

  it.each([
    ['a step', { a: 60, b: 40 }, {}],
    ['what takes traffic back', { a: 100, b: 0 }, { urgent: true }],
  ])('is not written by %s', async (_, weights, how) => {
    const { listener, served } = await lost();
    await expect(apply(listener, weights, { observed: served, ...how })).rejects.toMatchObject({
      type: 'Conflict',
      message: expect.stringContaining('belongs to default/other@here') as string,
    });
    expect([listener.now.writes, listener.now.tagged]).toEqual([0, 0]);
  });

  it('is not taken back by the status where ELBv2 shows only its owner', async () => {
    const { listener, served } = await lost();
    listener.now.hangs = true;
    const taken = apply(listener, { a: 100, b: 0 }, { observed: served, urgent: true, verify: true });
    await expect(taken).rejects.toMatchObject({ type: 'Conflict' });
    expect(listener.now.writes).toBe(0);
  });

  it('is taken over again where that is asked for', async () => {
    const { listener, served } = await lost();
    await apply(listener, { a: 60, b: 40 }, { observed: served, adopt: true });
    expect([listener.now.owner, listener.now.action]).toEqual([
      'default/tcp@here',
      forward({ a: 60, b: 40 }),
    ]);
  });

  it('continues being written where someone has only taken its tags off', async () => {
    const { listener, served } = await lost();
    listener.now.owner = undefined;
    await apply(listener, { a: 60, b: 40 }, { observed: served });
    expect([listener.now.tagged, listener.now.action]).toEqual([0, forward({ a: 60, b: 40 })]);
  });

  it.each([
    ['a step', {}],
    ['what takes traffic back', { urgent: true }],
  ])('is tagged again after a read where someone has only taken its tags off, by %s', async (_, how) => {
    const { listener, served } = await lost();
    listener.now.owner = undefined;
    await apply(listener, { a: 100 }, { observed: served, verify: true, ...how });
    expect([listener.now.owner, listener.now.action]).toEqual(['default/tcp@here', forward({ a: 100 })]);
  });
});
