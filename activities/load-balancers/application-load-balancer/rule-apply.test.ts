import type { Action, Rule, RuleTransform } from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, it } from 'vitest';
import type { ELBv2 } from '../../../clients/aws/elbv2.ts';
import type { ObservedForwarding } from '../../../domain/load-balancers/load-balancer.ts';
import { applicationLoadBalancer } from './application-load-balancer.ts';
import { applyTo, aRoute, forwarding, dependenciesWith } from './testing/apply.ts';
import { aListener, listenerARN, type FakeListener } from './testing/listener.ts';

const oidc: Action = {
  Type: 'authenticate-oidc',
  Order: 1,
  AuthenticateOidcConfig: {
    Issuer: 'https://idp.example.com',
    AuthorizationEndpoint: 'https://idp.example.com/authorize',
    TokenEndpoint: 'https://idp.example.com/token',
    UserInfoEndpoint: 'https://idp.example.com/userinfo',
    ClientId: 'client',
  },
};
const pool = { UserPoolArn: 'arn', UserPoolClientId: 'client', UserPoolDomain: 'domain' };
const cognito: Action = { Type: 'authenticate-cognito', Order: 1, AuthenticateCognitoConfig: pool };
const rewrite: RuleTransform = {
  Type: 'url-rewrite',
  UrlRewriteConfig: { Rewrites: [{ Regex: '^/a', Replace: '/b' }] },
};

const types = (rule: Rule | undefined): readonly (string | undefined)[] | undefined =>
  rule?.Actions?.map(({ Type }) => Type);

/** A rule made by hand that is served with its whole weight, as its object's status says. */
async function adopted(
  ...before: Action[]
): Promise<{ listener: FakeListener; served: ObservedForwarding<'AWSApplicationLoadBalancer'> }> {
  const listener = aListener();
  listener.byHand(10, { before, transforms: [rewrite] });
  const served = await applyTo(listener, { a: 100, b: 0 });
  return { listener, served };
}

describe('a rule that authenticates', () => {
  it.each([
    ['OIDC', oidc],
    ['Cognito', cognito],
  ])('continues doing so with each write: %s', async (_, action) => {
    const { listener, served } = await adopted(action);
    const later = await applyTo(listener, { a: 80, b: 20 }, { observed: served });
    expect(listener.rule(10)?.Actions?.[0]).toEqual(action);
    expect(types(listener.rule(10))).toEqual([action.Type, 'forward']);
    expect(later.carried?.actions).toMatchObject([{ type: action.Type }]);
    expect(JSON.stringify(applicationLoadBalancer.status(later))).not.toContain('ecret');
  });

  it('is known again from its status', async () => {
    const { served } = await adopted(cognito);
    const object = {
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'AWSApplicationLoadBalancerConfig',
      metadata: { name: 'web' },
      spec: applicationLoadBalancer.spec(served, 'Retain'),
      status: applicationLoadBalancer.status(served),
    };
    expect(applicationLoadBalancer.read(object).observed).toEqual(served);
  });

  it('keeps what someone has added right before the write', async () => {
    const { listener, served } = await adopted();
    listener.change(10, { before: [oidc] });
    const later = await applyTo(listener, { a: 80, b: 20 }, { observed: served });
    expect(types(listener.rule(10))).toEqual(['authenticate-oidc', 'forward']);
    expect(later.carried?.actions).toMatchObject([{ type: 'authenticate-oidc' }]);
  });

  it('keeps what someone has put in place of it', async () => {
    const { listener, served } = await adopted(oidc);
    listener.change(10, { before: [cognito] });
    await applyTo(listener, { a: 80, b: 20 }, { observed: served });
    expect(types(listener.rule(10))).toEqual(['authenticate-cognito', 'forward']);
  });

  it('gets it back where it was taken off and can be made again', async () => {
    const { listener, served } = await adopted(cognito);
    listener.change(10, { before: [] });
    const healed = await applyTo(listener, { a: 100, b: 0 }, { observed: served, verify: true });
    expect(listener.rule(10)?.Actions?.[0]).toEqual(cognito);
    expect(healed.carried).toEqual(served.carried);
  });

  it('is not written, and said to have lost it, where its secret is gone', async () => {
    const { listener, served } = await adopted(oidc);
    listener.change(10, { before: [] });
    for (const verify of [false, true]) {
      await expect(applyTo(listener, { a: 80, b: 20 }, { observed: served, verify })).rejects.toMatchObject({
        type: 'Conflict',
        message: expect.stringContaining('Rule 10 of the listener has lost authenticate-oidc') as string,
      });
    }
    expect(listener.weights(10)).toEqual({ a: 100, b: 0 });
  });

  it('has its traffic taken back all the same, and the loss is not forgotten', async () => {
    const { listener, served } = await adopted(oidc);
    listener.change(10, { before: [] });
    const back = await applyTo(listener, { a: 0, b: 100 }, { observed: served, urgent: true });
    expect(listener.weights(10)).toEqual({ a: 0, b: 100 });
    await expect(applyTo(listener, { a: 0, b: 100 }, { observed: back, verify: true })).rejects.toMatchObject(
      {
        type: 'Conflict',
      },
    );
  });

  it('is taken back by what the status says where ELBv2 cannot be read', async () => {
    const { listener, served } = await adopted(oidc);
    listener.failReads(1);
    await applyTo(listener, { a: 0, b: 100 }, { observed: served, urgent: true });
    expect(types(listener.rule(10))).toEqual(['authenticate-oidc', 'forward']);
  });

  it('is taken back where nobody knows what it serves and ELBv2 cannot be read, whatever the status says', async () => {
    const { listener, served } = await adopted(oidc);
    await applyTo(listener, { a: 80, b: 20 }, { observed: served });
    listener.failReads(2);
    await applyTo(listener, { a: 100, b: 0 }, { observed: served, urgent: true, verify: true });
    expect(listener.weights(10)).toEqual({ a: 100, b: 0 });
  });

  it('does not have its traffic wait for a look that is not answered', async () => {
    const { listener, served } = await adopted(oidc);
    listener.hangRead();
    await applyTo(listener, { a: 0, b: 100 }, { observed: served, urgent: true });
    expect(listener.weights(10)).toEqual({ a: 0, b: 100 });
    expect(types(listener.rule(10))).toEqual(['authenticate-oidc', 'forward']);
  });

  it('gets no more weight where ELBv2 cannot be read', async () => {
    const { listener, served } = await adopted(oidc);
    listener.failReads(1);
    await expect(applyTo(listener, { a: 80, b: 20 }, { observed: served })).rejects.toThrow('Rate exceeded');
    expect(listener.weights(10)).toEqual({ a: 100, b: 0 });
  });

  it('is not created again without it', async () => {
    const { listener, served } = await adopted(oidc);
    listener.remove(10);
    await expect(
      applyTo(listener, { a: 0, b: 100 }, { observed: served, urgent: true }),
    ).rejects.toMatchObject({
      type: 'Conflict',
      message: expect.stringContaining('AWS does not show its client secret') as string,
    });
    expect(listener.rule(10)).toBeUndefined();
  });
});

describe('a rule that reads show as it was before the last write', () => {
  /** One whose weights were just changed, and what is written to it from now on. */
  async function behind(...before: Action[]) {
    const { listener, served } = await adopted(...before);
    const old = listener.rule(10);
    if (old === undefined) throw new TypeError('Expected a rule.');
    await applyTo(listener, { a: 80, b: 20 }, { observed: served });
    let writes = 0;
    const elbv2: ELBv2 = {
      ...listener.elbv2,
      rulesOf: () => Promise.resolve([old]),
      rule: () => Promise.resolve(old),
      modifyRule: (input) => ((writes += 1), listener.elbv2.modifyRule(input)),
    };
    return { listener, late: { elbv2 }, served, writes: () => writes };
  }

  it('is taken back where nobody knows what it serves, and continues doing what else it does', async () => {
    const { listener, late, served, writes } = await behind(oidc);
    await applyTo(late, { a: 100, b: 0 }, { observed: served, urgent: true, verify: true });
    expect(listener.weights(10)).toEqual({ a: 100, b: 0 });
    expect(types(listener.rule(10))).toEqual(['authenticate-oidc', 'forward']);
    expect(writes()).toBe(1);
  });

  it.each([
    ['a look that finds nothing else', { verify: true }],
    ['what is known to serve already', { urgent: true }],
  ])('is not written for %s', async (_, how) => {
    const { late, served, writes } = await behind();
    await applyTo(late, { a: 100, b: 0 }, { observed: served, ...how });
    expect(writes()).toBe(0);
  });

  it.each([
    ['as long as reads show nothing to undo', Infinity, undefined],
    ['and is tried again as soon as they do', 2, 'Throttling'],
  ])('is taken back without a write that ELBv2 refuses, %s', async (_, behindFor, want) => {
    const { listener, late, served } = await behind();
    let reads = 0;
    const elbv2: ELBv2 = {
      ...late.elbv2,
      rule: (...asked) => ((reads += 1), (reads > behindFor ? listener : late).elbv2.rule(...asked)),
      modifyRule: () => Promise.reject(Object.assign(new Error('Rate exceeded'), { name: 'Throttling' })),
    };
    const how = { observed: served, urgent: true, verify: true };
    const came = await applyTo({ elbv2 }, { a: 100, b: 0 }, how).catch((error: unknown) => error);
    expect(came instanceof Error ? came.name : undefined).toBe(want);
    // More than one read, and for as long as one is waited for after a write.
    expect(reads).toBe(want === undefined ? 6 : 3);
  });

  it('gets its conditions back by the same write where these differ too', async () => {
    const { listener, served } = await adopted();
    listener.change(10, { conditions: [{ Field: 'path-pattern', PathPatternConfig: { Values: ['/x'] } }] });
    await applyTo(listener, { a: 100, b: 0 }, { observed: served, urgent: true, verify: true });
    expect(listener.rule(10)?.Conditions).toMatchObject([{ HostHeaderConfig: { Values: ['a.com'] } }]);
    expect(listener.weights(10)).toEqual({ a: 100, b: 0 });
  });
});

describe('a rule that is made again', () => {
  it.each([
    ['after it was deleted', forwarding({ a: 100, b: 0 })],
    ['at another listener', forwarding({ a: 100, b: 0 }, { listenerARN: `${listenerARN}2` })],
  ])('does what the one before it did: %s', async (_, place) => {
    const { listener, served } = await adopted(cognito);
    // What was done to it last by hand counts, and not what its status says of it.
    const other = { ...cognito, AuthenticateCognitoConfig: { ...pool, Scope: 'openid' } };
    if (place.listenerARN === listenerARN) listener.remove(10);
    else listener.change(10, { before: [other] });
    await applyTo(listener, {}, { forwarding: place, observed: served, verify: true });
    const [action, last] = listener.rule(10, place.listenerARN)?.Actions ?? [];
    expect(action).toEqual(place.listenerARN === listenerARN ? cognito : other);
    expect(last?.Type).toBe('forward');
    expect(listener.rule(10, place.listenerARN)?.Transforms).toEqual([rewrite]);
  });

  it('is not moved to another listener without its secret, and stays where it is', async () => {
    const { listener, served } = await adopted(oidc);
    const place = forwarding({ a: 100, b: 0 }, { listenerARN: `${listenerARN}2` });
    await expect(applyTo(listener, {}, { forwarding: place, observed: served })).rejects.toMatchObject({
      type: 'Conflict',
    });
    expect(types(listener.rule(10))).toEqual(['authenticate-oidc', 'forward']);
  });
});

describe('a rule of someone else', () => {
  const regex = { Field: 'host-header', HostHeaderConfig: { RegexValues: ['^a'] } };
  const key = { namespace: 'default', name: 'web' };
  const inspect = (listener: FakeListener) =>
    applicationLoadBalancer
      .connect(dependenciesWith(listener))
      .inspect({ key, route: aRoute, selected: [], adopt: true }, new AbortController().signal);

  it.each([
    ['by a look at it', inspect],
    ['by a write to it', (listener: FakeListener) => applyTo(listener, { a: 100 })],
  ])('is not taken over where something would be lost: %s', async (_, takeOver) => {
    const listener = aListener();
    listener.byHand(10, { conditions: [regex] });
    const before = listener.rule(10);
    await expect(takeOver(listener)).rejects.toMatchObject({ type: 'Conflict' });
    expect(listener.rule(10)).toEqual(before);
  });
});

describe('the cookie of an application', () => {
  const rule = {
    priority: 10,
    hosts: ['a.com'],
    forward: {
      targetGroupStickiness: { durationSeconds: 60 },
      targetStickiness: { type: 'app_cookie' as const, durationSeconds: 60, cookieName: 'session' },
    },
  };
  const asked = (weights: Readonly<Record<string, number>>) => ({
    forwarding: forwarding(weights, {}, rule),
  });

  it('is refused where several groups are weighed, and nothing is written', async () => {
    const listener = aListener();
    await expect(applyTo(listener, {}, asked({ a: 80, b: 20 }))).rejects.toMatchObject({
      type: 'Refused',
      message: expect.stringContaining('does not work with weighted target groups') as string,
    });
    expect(listener.rule(10)).toBeUndefined();
  });

  it.each([
    ['in a rule of one group', asked({ a: 1 }), { a: 1 }],
    ['where traffic is taken back', { ...asked({ a: 50, b: 50 }), urgent: true }, { a: 50, b: 50 }],
  ])('is written: %s', async (_, change, want) => {
    const listener = aListener();
    await applyTo(listener, {}, change);
    expect(listener.weights(10)).toEqual(want);
    expect(listener.attributes('a')).toMatchObject({ 'stickiness.type': 'app_cookie' });
  });
});

describe('a look at what differs', () => {
  const differences = async (
    listener: FakeListener,
    served: ObservedForwarding<'AWSApplicationLoadBalancer'>,
  ) => {
    const calls = applicationLoadBalancer.connect(dependenciesWith(listener));
    const mirrored = { key: { namespace: 'default', name: 'web' }, observed: served };
    const found = await calls.drift(listenerARN, [mirrored], new AbortController().signal);
    return found.map(({ difference }) => difference).join(' ');
  };

  it('finds nothing while nothing is another', async () => {
    const { listener, served } = await adopted(oidc);
    expect(await differences(listener, served)).toBe('');
  });

  it.each<[string, { before?: Action[]; transforms?: RuleTransform[] }, string]>([
    ['was taken off', { before: [] }, 'The rule has lost its authenticate-oidc.'],
    ['was put in its place', { before: [cognito] }, 'it has other actions authenticate-cognito'],
    [
      'is no longer rewritten',
      { transforms: [] },
      'it had other actions authenticate-oidc, transforms url-rewrite',
    ],
  ])('finds what %s', async (_, change, want) => {
    const { listener, served } = await adopted(oidc);
    listener.change(10, change);
    expect(await differences(listener, served)).toContain(want);
  });
});
