import { describe, expect, it } from 'vitest';
import type { ObservedForwarding } from '../../../domain/load-balancers/load-balancer.ts';
import { applyTo, forwarding } from './testing/apply.ts';
import { aListener, type FakeListener } from './testing/listener.ts';

type Served = ObservedForwarding<'AWSApplicationLoadBalancer'>;

const other = 'default/other@here';
const conflict = {
  type: 'Conflict',
  message: expect.stringContaining(`belongs to ${other}`) as string,
};

/** A rule of ours that another object has taken over since its status was written. */
async function lost(): Promise<{ listener: FakeListener; served: Served }> {
  const listener = aListener();
  const served = await applyTo(listener, { a: 80, b: 20 });
  listener.change(10, { owner: other });
  return { listener, served };
}

describe('a rule that another object has taken over since the status was written', () => {
  it.each([
    ['a step', { a: 60, b: 40 }, {}],
    ['what takes traffic back', { a: 100, b: 0 }, { urgent: true }],
    ['what takes traffic back of which nobody knows', { a: 100, b: 0 }, { urgent: true, verify: true }],
  ])('is not written by %s', async (_, weights, how) => {
    const { listener, served } = await lost();
    const before = listener.rule(10);
    const taken = applyTo(listener, weights, { observed: served, adopt: false, ...how });
    await expect(taken).rejects.toMatchObject(conflict);
    expect(listener.rule(10)).toEqual(before);
  });

  it('is not written for its conditions, and its target groups stay as they are', async () => {
    const listener = aListener();
    const keeping = { targetStickiness: { type: 'lb_cookie', durationSeconds: 60 } } as const;
    const asked = (host: string, forward: typeof keeping | object) =>
      forwarding({ a: 100 }, {}, { hosts: [host], forward });
    const served = await applyTo(listener, {}, { forwarding: asked('a.com', keeping) });
    listener.change(10, { owner: other });
    const before = [listener.rule(10), listener.attributes('a')];
    const edited = applyTo(listener, {}, { forwarding: asked('b.com', {}), observed: served, adopt: false });
    await expect(edited).rejects.toMatchObject(conflict);
    expect([listener.rule(10), listener.attributes('a')]).toEqual(before);
  });

  it('is taken over again where that is asked for', async () => {
    const { listener, served } = await lost();
    await applyTo(listener, { a: 60, b: 40 }, { observed: served });
    expect([listener.owner(10), listener.weights(10)]).toEqual(['default/web@here', { a: 60, b: 40 }]);
  });

  it.each([
    ['by the status alone', {}],
    ['after a read', { verify: true }],
    ['by what takes traffic back', { urgent: true }],
    ['by what takes traffic back after a read', { urgent: true, verify: true }],
  ])('continues being written where someone has only taken its tags off, %s', async (_, how) => {
    const { listener, served } = await lost();
    listener.change(10, { owner: undefined });
    await applyTo(listener, { a: 100, b: 0 }, { observed: served, adopt: false, ...how });
    expect(listener.weights(10)).toEqual({ a: 100, b: 0 });
  });

  it('is tagged again where IAM allows no write without the tag', async () => {
    const { listener, served } = await lost();
    listener.change(10, { owner: undefined });
    const denied = Object.assign(new Error('Not authorized.'), { name: 'AccessDenied' });
    const elbv2: typeof listener.elbv2 = {
      ...listener.elbv2,
      modifyRule: (rule) =>
        listener.owner(10) === undefined ? Promise.reject(denied) : listener.elbv2.modifyRule(rule),
    };
    await applyTo({ elbv2 }, { a: 100, b: 0 }, { observed: served, adopt: false, urgent: true });
    expect([listener.owner(10), listener.weights(10)]).toEqual(['default/web@here', { a: 100, b: 0 }]);
  });

  it.each([
    ['what takes traffic back does not wait for an answer', { urgent: true }, 'written'],
    ['all else does', {}, 'Throttling'],
  ])('where its owner cannot be read, %s', async (_, how, want) => {
    const { listener, served } = await lost();
    const tagsOf = () => Promise.reject(Object.assign(new Error('Rate exceeded'), { name: 'Throttling' }));
    const elbv2 = { ...listener.elbv2, tagsOf };
    const applied = applyTo({ elbv2 }, { a: 100, b: 0 }, { observed: served, adopt: false, ...how });
    const came = await applied.then(
      () => 'written',
      (error: Error) => error.name,
    );
    expect(came).toBe(want);
  });

  it.each([
    ['at its place', { a: 100, b: 0 }, {}],
    ['at another', {}, { forwarding: forwarding({ a: 100 }, {}, { priority: 20 }) }],
  ])('is not taken back by the status where ELBv2 shows only its owner, %s', async (_, weights, how) => {
    const { listener, served } = await lost();
    const before = listener.rule(10);
    listener.failReads(2);
    const urgently = { observed: served, adopt: false, urgent: true, verify: true, ...how };
    const came = await applyTo(listener, weights, urgently).catch((error: unknown) => error);
    expect(came).toBeInstanceOf(Error);
    expect([listener.rule(10), listener.rule(20)]).toEqual([before, undefined]);
  });

  it.each([false, true])('is left where it is by one that goes elsewhere (adopts: %s)', async (adopt) => {
    const { listener, served } = await lost();
    const before = listener.rule(10);
    const place = forwarding({ a: 80, b: 20 }, {}, { priority: 20 });
    const now = await applyTo(listener, {}, { forwarding: place, observed: served, adopt });
    expect(listener.rule(10)).toEqual(before);
    expect([listener.owner(20), listener.weights(20)]).toEqual(['default/web@here', { a: 80, b: 20 }]);
    expect(now.ruleARN).not.toBe(served.ruleARN);
  });
});

describe('a rule of another listener that a status names', () => {
  it.each([
    ['a step', { a: 60, b: 40 }, {}],
    ['what takes traffic back', { a: 100, b: 0 }, { urgent: true }],
  ])('is not written by %s', async (_, weights, how) => {
    const listener = aListener();
    const served = await applyTo(listener, { a: 80, b: 20 });
    const ruleARN = served.ruleARN?.replace(/listener-rule\/.*/, 'listener-rule/app/others/1/2/3') ?? '';
    const written: (string | undefined)[] = [];
    const elbv2: FakeListener['elbv2'] = {
      ...listener.elbv2,
      tagsOf: (arn, signal) => (arn === ruleARN ? Promise.resolve({}) : listener.elbv2.tagsOf(arn, signal)),
      modifyRule: (input) => {
        written.push(input.RuleArn);
        return listener.elbv2.modifyRule(input);
      },
    };
    const forged = { ...served, ruleARN };
    await applyTo({ elbv2 }, weights, { observed: forged, adopt: false, ...how });
    expect(written).toEqual([served.ruleARN]);
    expect(listener.weights(10)).toEqual(weights);
  });
});
