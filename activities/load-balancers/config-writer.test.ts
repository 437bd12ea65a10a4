import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ELBv2 } from '../../clients/aws/elbv2.ts';
import { limitRate, unlimited, type RateLimiter } from '../../clients/rate-limiter.ts';
import type { Forwarding, ObservedForwarding } from '../../domain/load-balancers/load-balancer.ts';
import { aCell, arnOf } from '../../domain/testing/builders.ts';
import { kubernetesWith } from '../../test/examples/route-53/kept-objects.ts';
import { applyTo, forwarding } from './application-load-balancer/testing/apply.ts';
import { aListener, listenerARN, type FakeListener } from './application-load-balancer/testing/listener.ts';
import { configWriter } from './config-writer.ts';
import { loadBalancerOf } from './index.ts';
import { loadBalancerConfigActivities } from './load-balancer-config.ts';
import { asActivity, asking, key, urgently, writerFor } from './testing/writer.ts';

const writeCalls = ['createRule', 'modifyRule', 'setPriority', 'deleteRule', 'setAttributes', 'tag'] as const;

/** A listener, and what is written to it from now on. */
function recorded({ elbv2 }: Pick<FakeListener, 'elbv2'>): { elbv2: ELBv2; written: string[] } {
  const written: string[] = [];
  const recording = writeCalls.map((name) => {
    const write = elbv2[name].bind(elbv2) as (...all: unknown[]) => unknown;
    return [name, (...all: unknown[]) => (written.push(name), write(...all))];
  });
  return { elbv2: { ...elbv2, ...(Object.fromEntries(recording) as Partial<ELBv2>) }, written };
}

it('says what is served though it cannot be shown in what people read', async () => {
  const { observedForwarding: served } = aCell().serving({ a: 100 }).seen();
  if (served === undefined) throw new TypeError('Expected a Cell that serves.');
  const { kubernetes } = kubernetesWith();
  const ended: string[] = [];
  const writer = configWriter({
    kubernetes: {
      ...kubernetes,
      list: () => Promise.reject(new Error('No AWSTargetGroup can be read.')),
      apply: async (object) => {
        for (let turn = 0; turn < 5; turn += 1) await new Promise((done) => setImmediate(done));
        ended.push(object.kind);
        return object;
      },
    },
    elbv2: () => {
      throw new Error('Expected nobody to call ELBv2.');
    },
    installation: () => Promise.resolve('here'),
    writes: unlimited,
  });
  const report = () => writer.report(asking(served), { is: 'Served', served, created: true });
  await asActivity(report);
  expect(ended).toEqual(['AWSApplicationLoadBalancerConfig']);
});

const forward = {
  targetGroupStickiness: { durationSeconds: 60 },
  targetStickiness: { type: 'lb_cookie', durationSeconds: 60 },
} as const;
/** What is asked of a rule whose clients stay with a target. */
const keeping = (weights: Readonly<Record<string, number>>) => forwarding(weights, {}, { forward });

describe('an attempt of several writes', () => {
  /** A limiter that is told how each write waits. */
  function told() {
    const waits: boolean[] = [];
    const writes: RateLimiter = {
      ...unlimited,
      wait: (_, { urgent }) => Promise.resolve(void waits.push(urgent)),
    };
    return { waits, writes };
  }

  interface Case {
    readonly before?: Forwarding;
    readonly asked: Forwarding;
    readonly want: readonly string[];
    readonly wantUrgently?: readonly string[];
  }
  const elsewhere = { listenerARN: `${listenerARN}2` };

  it.each<[string, Case]>([
    [
      'takes back, and lets the clients of a group go that leaves',
      {
        before: keeping({ a: 80, b: 20 }),
        asked: keeping({ a: 100 }),
        want: ['modifyRule', 'setAttributes'],
      },
    ],
    [
      'gives to groups whose clients are kept from now on',
      {
        before: forwarding({ a: 100, b: 0 }),
        asked: keeping({ a: 80, b: 20 }),
        want: ['modifyRule', 'setAttributes', 'setAttributes'],
      },
    ],
    [
      'lets clients go before the rule does',
      {
        before: keeping({ a: 80, b: 20 }),
        asked: forwarding({ a: 100, b: 0 }),
        want: ['setAttributes', 'setAttributes', 'modifyRule'],
      },
    ],
    [
      'moves to another priority, and then changes weights',
      {
        before: forwarding({ a: 80, b: 20 }),
        asked: forwarding({ a: 100, b: 0 }, {}, { priority: 20 }),
        // What takes traffic back leaves the rule where it is.
        want: ['setPriority', 'modifyRule'],
        wantUrgently: ['modifyRule'],
      },
    ],
    [
      'is created with clients that are kept',
      { asked: keeping({ a: 100 }), want: ['createRule', 'setAttributes'] },
    ],
    [
      'moves to another listener',
      {
        before: forwarding({ a: 100 }),
        asked: forwarding({ a: 100 }, elsewhere, { priority: 20 }),
        want: ['createRule', 'deleteRule'],
      },
    ],
  ])(
    'that %s waits for each, and goes first once one of them was sent',
    async (_, { before, asked, want: usual, wantUrgently = usual }) => {
      for (const urgent of [true, false]) {
        const listener = aListener();
        const served =
          before === undefined ? undefined : await applyTo(listener, {}, { forwarding: before as never });
        const { elbv2, written } = recorded(listener);
        const { waits, writes } = told();
        const config = asking(asked, served);
        const { writer } = writerFor(elbv2, [config], writes);
        const attempt = () => writer.apply(config, urgently({ urgent }));
        expect(await asActivity(attempt)).toMatchObject({ is: 'Served' });
        const want = urgent ? wantUrgently : usual;
        expect(written).toEqual(want);
        expect(waits).toEqual(want.map((_call, index) => urgent || index > 0));
      }
    },
  );

  it('continues after a rule that reads do not show was in the way of its own', async () => {
    const listener = aListener();
    listener.showNew(false);
    const served = await applyTo(listener, { a: 80, b: 20 });
    const { elbv2, written } = recorded(listener);
    const { waits, writes } = told();
    const config = asking(forwarding({ a: 100, b: 0 }), served);
    const attempt = () => writerFor(elbv2, [config], writes).writer.apply(config, urgently({ verify: true }));
    expect(await asActivity(attempt)).toMatchObject({ is: 'Served' });
    expect([written, waits.length]).toEqual([['createRule', 'modifyRule'], 2]);
  });

  it('has sent nothing when it is given up while it waits', async () => {
    const listener = aListener();
    const served = await applyTo(listener, { a: 80, b: 20 });
    const { elbv2, written } = recorded(listener);
    const writes = limitRate({ perSecond: 0.001, burst: 1 });
    const config = asking(forwarding({ a: 100, b: 0 }), served);
    const { writer } = writerFor(elbv2, [config], writes);
    const given = new AbortController();
    const attempts = Array.from({ length: 3 }, () =>
      asActivity(() => writer.apply(config, urgently({ signal: given.signal }))),
    );
    setTimeout(() => given.abort(new Error('given up')), 20);
    const ends = await Promise.allSettled(attempts);
    expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(written).toHaveLength(2);
  });

  it('is refused as throttled when it waits for long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const writes: RateLimiter = {
      ...unlimited,
      wait: (_, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        ),
    };
    const { writer } = writerFor(aListener().elbv2, [], writes);
    const reserved = asActivity(() => writer.reserve(forwarding({ a: 100 }), urgently()));
    reserved.catch(() => undefined);
    await vi.advanceTimersByTimeAsync(60_000);
    await expect(reserved).rejects.toMatchObject({ type: 'Throttled' });
  });
});

/** An error as the AWS SDK throws it. */
const refusal = (name: string): Error => Object.assign(new Error('Refused.'), { name });

describe('a take-back that lets the clients of a group go', () => {
  /** Takes everything back from a group whose attributes AWS refuses to write. */
  async function takeBack(name: string, urgent: boolean) {
    const listener = aListener();
    const served = await applyTo(listener, {}, { forwarding: keeping({ a: 80, b: 20 }) });
    const elbv2 = { ...listener.elbv2, setAttributes: () => Promise.reject(refusal(name)) };
    const config = asking(keeping({ a: 100 }), served);
    const attempt = () => writerFor(elbv2, [config]).writer.apply(config, urgently({ urgent }));
    const came = await asActivity(attempt).then(
      ({ is }) => is,
      (error: { readonly type?: string }) => error.type,
    );
    return [came, listener.weights(10)];
  }

  it.each([
    ['is over though AWS refuses that for good', 'AccessDeniedException', true, 'Served'],
    ['is tried again when AWS throttles that', 'ThrottlingException', true, 'Throttled'],
    ['is refused where nothing is urgent', 'AccessDeniedException', false, 'AccessDenied'],
  ])('%s', async (_, name, urgent, want) => expect(await takeBack(name, urgent)).toEqual([want, { a: 100 }]));
});

describe('what was served last, asked for again after a write of which nobody knows', () => {
  /** A rule that reads show as it was before the last write, until the next. */
  async function behind() {
    const listener = aListener();
    const served = await applyTo(listener, { a: 80, b: 20 });
    const before = listener.rule(10);
    await applyTo(listener, { a: 50, b: 50 }, { observed: served });
    let isBehind = true;
    const shown = () => [isBehind ? before : listener.rule(10)].filter((one) => one !== undefined);
    const elbv2: ELBv2 = {
      ...listener.elbv2,
      rulesOf: () => Promise.resolve(shown()),
      rule: () => Promise.resolve(shown()[0]),
      modifyRule: (input) => ((isBehind = false), listener.elbv2.modifyRule(input)),
    };
    return { listener, elbv2, served };
  }
  const restoring = urgently({ urgent: false, verify: true });

  it('is written though one read shows it', async () => {
    const { listener, elbv2, served } = await behind();
    const config = asking(forwarding({ a: 80, b: 20 }), served);
    await asActivity(() => writerFor(elbv2, [config]).writer.apply(config, restoring));
    expect(listener.weights(10)).toEqual({ a: 80, b: 20 });
  });

  it.each([
    ['is not written where the status says that it was confirmed', 1, 'Updated', 50],
    ['is not written where it is all that has changed since the status', 2, 'Updated', 50],
    ['is written where something else was asked for in between', 3, 'Updated', 20],
    ['is written where what was asked for before was refused', 2, 'Error', 20],
  ] as const)('%s', async (_, generation, phase, percent) => {
    const { listener, elbv2, served } = await behind();
    const asked = asking(forwarding({ a: 80, b: 20 }), served);
    const config = { ...asked, generation, status: { ...asked.status, observedGeneration: 1, phase } };
    await asActivity(() => writerFor(elbv2, [config]).writer.apply(config, restoring));
    expect(listener.weights(10)).toEqual({ a: 100 - percent, b: percent });
  });

  it('is done without where ELBv2 throttles it and all reads show it, and others are held back', async () => {
    const { elbv2, served } = await behind();
    const held: number[] = [];
    const writes = { ...unlimited, pause: (_: string, ms: number) => void held.push(ms) };
    const throttling = { ...elbv2, modifyRule: () => Promise.reject(refusal('Throttling')) };
    const config = asking(forwarding({ a: 80, b: 20 }), served);
    const { writer } = writerFor(throttling, [config], writes);
    expect(await asActivity(() => writer.apply(config, restoring))).toMatchObject({ is: 'Served' });
    expect(held).toEqual([1_000]);
  });
});

describe('a rule that gets in front of another with its conditions', () => {
  interface Case {
    readonly healthy: readonly string[];
    readonly before?: Forwarding;
    readonly asked?: Forwarding;
    readonly isDeleted?: true;
    readonly isOfCell?: true;
    readonly want: readonly string[];
  }
  const at = (priority: number, more = {}) => forwarding({ a: 100 }, {}, { priority, ...more });
  const elsewhere = forwarding({ a: 100 }, { listenerARN: `${listenerARN}2` });
  const created = ['Served', 'createRule'];

  const applyForCell = (elbv2: ELBv2, asked: Forwarding, served?: ObservedForwarding) => {
    const config = asking(asked, served);
    const options = urgently({ urgent: false, verify: true });
    return asActivity(() => writerFor(elbv2, [config]).writer.apply(config, options));
  };
  const applyAlone = (elbv2: ELBv2, asked: Forwarding, served?: ObservedForwarding) => {
    const balancer = loadBalancerOf(asked.type);
    const { kubernetes } = kubernetesWith({
      apiVersion: balancer.kind.apiVersion,
      kind: balancer.kind.kind,
      metadata: { ...key, uid: 'uid', generation: 1 },
      spec: balancer.spec(asked, 'Retain'),
      status: served && balancer.status(served),
    });
    const reached = { elbv2: () => elbv2, installation: () => Promise.resolve('here') };
    const activities = loadBalancerConfigActivities({ kubernetes, ...reached, writes: unlimited });
    return asActivity(() => activities.applyLoadBalancer({ ref: { type: asked.type, key }, verify: true }));
  };

  it.each<[string, Case]>([
    ['is not created while the other alone is healthy', { healthy: ['b'], want: ['NoHealthyTargets'] }],
    ['is created once it is healthy itself', { healthy: ['a', 'b'], want: created }],
    ['is created where neither is healthy', { healthy: [], want: created }],
    ['is created for other requests', { healthy: ['b'], asked: at(10, { hosts: ['b.com'] }), want: created }],
    ['is created behind the other', { healthy: ['b'], asked: at(30), want: created }],
    [
      'is created for a Cell, whose targets nobody has checked',
      { healthy: ['b'], isOfCell: true, want: created },
    ],
    [
      'is made again after someone has deleted it',
      { healthy: ['b'], before: at(10), isDeleted: true, want: created },
    ],
    [
      'does not come from another listener',
      { healthy: ['b'], before: elsewhere, want: ['NoHealthyTargets'] },
    ],
    ['is not raised above the other', { healthy: ['b'], before: at(30), want: ['NoHealthyTargets'] }],
    [
      'is raised where it was above the other',
      { healthy: ['b'], before: at(15), want: ['Served', 'setPriority'] },
    ],
    [
      'does not get its conditions while the other alone is healthy',
      { healthy: ['b'], before: at(10, { hosts: ['b.com'] }), want: ['NoHealthyTargets'] },
    ],
    [
      'gets its conditions once it is healthy itself',
      { healthy: ['a', 'b'], before: at(10, { hosts: ['b.com'] }), want: ['Served', 'modifyRule'] },
    ],
  ])('%s', async (_, { healthy, before, asked = at(10), isDeleted, isOfCell, want }) => {
    const listener = aListener();
    const other = forwarding({ b: 100 }, {}, { priority: 20 });
    await applyTo(listener, {}, { key: { ...key, name: 'other' }, forwarding: other });
    const served = before && (await applyTo(listener, {}, { forwarding: before as never }));
    if (isDeleted) listener.remove(10);
    const stateOf = (arn: string) => (healthy.map(arnOf).includes(arn) ? 'healthy' : 'unused');
    const targetHealth: ELBv2['targetHealth'] = (arn) =>
      Promise.resolve([{ TargetHealth: { State: stateOf(arn) } }]);
    const { elbv2, written } = recorded({ elbv2: { ...listener.elbv2, targetHealth } });
    const came = await (isOfCell ? applyForCell : applyAlone)(elbv2, asked, served).then(
      ({ is }) => is,
      (error: { readonly type?: string }) => error.type,
    );
    expect([came, ...written]).toEqual(want);
  });
});
