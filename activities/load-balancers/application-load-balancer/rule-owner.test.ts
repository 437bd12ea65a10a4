import { describe, expect, it } from 'vitest';
import type { ObservedForwarding } from '../../../domain/load-balancers/load-balancer.ts';
import { applicationLoadBalancer } from './application-load-balancer.ts';
import { anyWriting, applyTo, aRoute, forwarding, dependenciesWith } from './testing/apply.ts';
import { aListener, listenerARN, type FakeListener } from './testing/listener.ts';

const key = { namespace: 'default', name: 'web' };
const { signal } = new AbortController();

/** A listener with a rule at priority 10 that has a tag, or none. */
function tagged(owner?: string): FakeListener {
  const listener = aListener();
  listener.byHand(10, owner === undefined ? {} : { owner });
  return listener;
}

const strict = { adopt: false };

describe('the rule of an object', () => {
  it('is tagged as that of this installation when it is created', async () => {
    const listener = aListener();
    await applyTo(listener, { a: 100 }, strict);
    expect(listener.owner(10)).toBe('default/web@here');
  });

  it('is not that of an object of this name in another installation', async () => {
    const listener = tagged('default/web@here');
    await applyTo(listener, { b: 100 }, strict);
    const elsewhere = applicationLoadBalancer.connect(dependenciesWith(listener, 'there'));
    const how = { urgent: false, trusts: 'Status' } as const;
    const request = { key, forwarding: forwarding({ c: 100 }), ...how, ...strict };
    await expect(elsewhere.apply(request, anyWriting)).rejects.toMatchObject({
      type: 'Conflict',
      message: expect.stringMatching(
        /belongs to default\/web@here, the object of that name of another installation \(this one is there\).*lost its id, make the ConfigMap okra-installation again/,
      ) as string,
    });
    expect(listener.weights(10)).toEqual({ b: 100 });
  });

  it.each([
    ['of another installation', 'default/web@there'],
    ['of another object', 'default/api@here'],
    ['of no installation', 'default/web'],
    ['that nobody has tagged', undefined],
  ])('is none %s', async (_, tag) => {
    const listener = tagged(tag);
    const [before, calls] = [listener.rule(10), applicationLoadBalancer.connect(dependenciesWith(listener))];
    const route = aRoute;
    await expect(applyTo(listener, { a: 100 }, strict)).rejects.toMatchObject({ type: 'Conflict' });
    await expect(calls.inspect({ key, route, selected: [], ...strict }, signal)).rejects.toMatchObject({
      type: 'Conflict',
    });
    await calls.remove({ key, forwarding: forwarding({ a: 100 }) }, anyWriting);
    expect(listener.rule(10)).toEqual(before);
  });

  it('goes with its object', async () => {
    const listener = tagged('default/web@here');
    const calls = applicationLoadBalancer.connect(dependenciesWith(listener));
    await calls.remove({ key, forwarding: forwarding({ a: 100 }) }, anyWriting);
    expect(listener.rule(10)).toBeUndefined();
  });
});

describe('a listener that the AWS Load Balancer Controller manages', () => {
  const how = { adopt: true };
  const managed = {
    type: 'Conflict',
    message: expect.stringContaining('the AWS Load Balancer Controller manages it') as string,
  };

  it.each([
    ['by a cluster', { 'elbv2.k8s.aws/cluster': 'legacy' }],
    ['by an Ingress', { team: 'web', 'ingress.k8s.aws/resource': '443' }],
    ['by a Service', { 'service.k8s.aws/stack': 'shop/web' }],
  ])('gets no rule, and the conflict names the tag: %s', async (_, tags) => {
    const listener = aListener();
    listener.tagListener(tags);
    const calls = applicationLoadBalancer.connect(dependenciesWith(listener));
    const named = Object.entries(tags).at(-1)?.join('=');
    await expect(applyTo(listener, { a: 100 }, how)).rejects.toMatchObject(managed);
    await expect(calls.inspect({ key, route: aRoute, selected: [], ...how }, signal)).rejects.toThrow(named);
    expect(listener.rule(10)).toBeUndefined();
  });

  it('has none of its rules taken over, nor that of another listener moved to it', async () => {
    const listener = tagged();
    listener.tagListener({ 'elbv2.k8s.aws/cluster': 'legacy' });
    await expect(applyTo(listener, { a: 100 }, how)).rejects.toMatchObject(managed);
    expect(listener.owner(10)).toBeUndefined();
    const elsewhere = `${listenerARN}2`;
    const observed = await applyTo(
      listener,
      {},
      { forwarding: forwarding({ a: 100 }, { listenerARN: elsewhere }) },
    );
    await expect(applyTo(listener, { a: 100 }, { ...how, observed })).rejects.toMatchObject(managed);
    expect(listener.rule(10, elsewhere)).toBeDefined();
  });

  it('is asked for its tags before the first write alone', async () => {
    const listener = aListener();
    const asked: string[] = [];
    const elbv2 = {
      ...listener.elbv2,
      tagsOf: (arn: string) => {
        asked.push(arn);
        return listener.elbv2.tagsOf(arn);
      },
    };
    const observed = await applyTo({ elbv2 }, { a: 100, b: 0 });
    expect(asked.filter((arn) => arn === listenerARN)).toHaveLength(1);
    await applyTo({ elbv2 }, { a: 80, b: 20 }, { observed });
    await applyTo({ elbv2 }, { a: 60, b: 40 }, { observed, verify: true });
    expect(asked.filter((arn) => arn === listenerARN)).toHaveLength(1);
  });
});

describe('what may be taken over that is not of others', () => {
  it.each([
    ['what nobody has tagged', undefined, true],
    ['what belongs to another object of the namespace', 'default/api@here', true],
    ['what belongs to it in another installation', 'default/web@there', true],
    ['what belongs to an object of another namespace', 'shop/web@here', false],
    ['what has a tag that names nobody', 'web', false],
  ])('%s: %s', async (_, tag, may) => {
    const listener = tagged(tag);
    const before = listener.rule(10);
    const applied = applyTo(listener, { b: 100 }, { adopt: 'NotOfOthers' });
    const came = await applied.then(
      () => 'taken over',
      (error: { readonly type?: string }) => error.type,
    );
    expect(came).toBe(may ? 'taken over' : 'Conflict');
    expect(listener.owner(10)).toBe(may ? 'default/web@here' : tag);
    expect(listener.rule(10) === before).toBe(!may);
  });
});

describe('a look at whose a rule is', () => {
  const differences = async (
    listener: FakeListener,
    served: ObservedForwarding<'AWSApplicationLoadBalancer'>,
  ) => {
    const calls = applicationLoadBalancer.connect(dependenciesWith(listener));
    return (await calls.drift(listenerARN, [{ key, observed: served }], signal)).map(
      ({ difference }) => difference,
    );
  };

  it.each([
    ['nothing while it is the object’s', 'default/web@here', []],
    ['nothing in what someone has taken the tags off', undefined, []],
    ['what another installation has adopted', 'default/web@there', ['It belongs to default/web@there now.']],
  ])('finds %s', async (_, owner, want) => {
    const listener = tagged();
    const served = await applyTo(listener, { a: 100 });
    const elbv2 = {
      ...listener.elbv2,
      ...(owner === undefined ? { tagsOfAll: () => Promise.resolve(new Map()) } : {}),
    };
    if (owner !== undefined) listener.change(10, { owner });
    expect(await differences({ ...listener, elbv2 }, served)).toEqual(want);
  });
});

describe('a rule whose place someone else has taken', () => {
  /** Our rule, moved by hand to priority 20, and one of another object in its place. */
  async function displaced() {
    const listener = aListener();
    const served = await applyTo(listener, { a: 80, b: 20 });
    await listener.elbv2.setPriority(served.ruleARN ?? '', 20);
    listener.byHand(10, { owner: 'default/other@here' });
    return { listener, how: { observed: served, verify: true, adopt: false } };
  }

  it('has its traffic taken back where it is', async () => {
    const { listener, how } = await displaced();
    const back = await applyTo(listener, { a: 100, b: 0 }, { ...how, urgent: true });
    expect(back.listener.rule.priority).toBe(20);
    expect([listener.weights(20), listener.weights(10)]).toEqual([{ a: 100, b: 0 }, { a: 7 }]);
  });

  it('is a conflict for all else', async () => {
    const { listener, how } = await displaced();
    await expect(applyTo(listener, { a: 100, b: 0 }, how)).rejects.toMatchObject({ type: 'Conflict' });
    expect(listener.weights(20)).toEqual({ a: 80, b: 20 });
  });

  it('is left to whoever has taken it over as well', async () => {
    const { listener, how } = await displaced();
    listener.change(20, { owner: 'default/third@here' });
    const taken = applyTo(listener, { a: 100, b: 0 }, { ...how, urgent: true });
    await expect(taken).rejects.toMatchObject({ type: 'Conflict' });
    expect(listener.weights(20)).toEqual({ a: 80, b: 20 });
  });
});
