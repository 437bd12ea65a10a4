import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProxy } from '../../local/elbv2-proxy/server.ts';
import { createRule, errorOf, forward, ruleInput } from './elbv2-proxy/calls.ts';
import { createSite, startFixture, type Fixture, type Site } from './elbv2-proxy/fixture.ts';

let fixture: Fixture;
let site: Site;
let net: Site;

beforeAll(async () => {
  fixture = await startFixture();
  site = await createSite(fixture, { groups: 3 });
  net = await createSite(fixture, { type: 'network' });
}, 120_000);

afterAll(() => fixture[Symbol.asyncDispose]());

const set = (arn: string | undefined, values: Readonly<Record<string, string>>) =>
  fixture.elb.modifyTargetGroupAttributes({
    TargetGroupArn: arn,
    Attributes: Object.entries(values).map(([key, Value]) => ({ Key: `stickiness.${key}`, Value })),
  });

async function read(arn: string | undefined): Promise<Readonly<Record<string, string | undefined>>> {
  const { Attributes = [] } = await fixture.elb.describeTargetGroupAttributes({ TargetGroupArn: arn });
  return Object.fromEntries(Attributes.map((one) => [one.Key?.replace('stickiness.', ''), one.Value]));
}

/** A forward action with group stickiness. */
const sticky = (of: Site, weights: readonly number[], seconds?: number) => {
  const { Type, ForwardConfig } = forward(of, ...weights);
  const duration = seconds === undefined ? {} : { DurationSeconds: seconds };
  return {
    Type,
    ForwardConfig: { ...ForwardConfig, TargetGroupStickinessConfig: { Enabled: true, ...duration } },
  };
};

describe('target group attributes', () => {
  it('are set and read, with what AWS fills in', async () => {
    const [, , own] = site.groups;
    expect(await read(own)).toMatchObject({
      enabled: 'false',
      type: 'lb_cookie',
      'lb_cookie.duration_seconds': '86400',
      'app_cookie.duration_seconds': '86400',
    });
    await set(own, { enabled: 'true', type: 'lb_cookie', 'lb_cookie.duration_seconds': '60' });
    expect(await read(own)).toMatchObject({ enabled: 'true', 'lb_cookie.duration_seconds': '60' });
    expect(await read(net.groups[0])).not.toHaveProperty('lb_cookie.duration_seconds');
  });

  it.each([
    ['a duration over 7 days', { 'lb_cookie.duration_seconds': '604801' }, 'ValidationError'],
    ['a reserved cookie name', { 'app_cookie.cookie_name': 'AWSALBX' }, 'ValidationError'],
    ['a type of Network Load Balancers', { type: 'source_ip' }, 'InvalidConfigurationRequestException'],
    ['neither true nor false', { enabled: 'maybe' }, 'ValidationError'],
  ])('are refused with %s, and stay as they were', async (_, values, name) => {
    const before = await read(site.groups[0]);
    expect((await errorOf(set(site.groups[0], values))).name).toBe(name);
    expect(await read(site.groups[0])).toEqual(before);
  });

  it('of an unknown group are not found', async () => {
    const unknown = `${site.groups[0]?.slice(0, -4)}0000`;
    expect((await errorOf(set(unknown, { enabled: 'true' }))).name).toBe('TargetGroupNotFoundException');
    expect((await errorOf(read(unknown))).name).toBe('TargetGroupNotFoundException');
  });
});

describe('a Network Load Balancer', () => {
  it('keeps no client with a group once it keeps to its zones', async () => {
    const own = await createSite(fixture, { type: 'network' });
    const balance = () =>
      fixture.elb.modifyListener({ ListenerArn: own.listener, DefaultActions: [sticky(own, [50, 50])] });
    await balance();
    await fixture.elb.modifyLoadBalancerAttributes({
      LoadBalancerArn: own.loadBalancer,
      Attributes: [{ Key: 'load_balancing.cross_zone.enabled', Value: 'false' }],
    });
    expect((await errorOf(balance())).name).toBe('InvalidLoadBalancerActionException');
  });
});

describe('stickiness', () => {
  it('of a target group wants that of every rule that forwards to it and others', async () => {
    const own = await createSite(fixture);
    const rule = await createRule(fixture.elb, own);
    const [first] = own.groups;
    expect(await errorOf(set(first, { enabled: 'true', type: 'lb_cookie' }))).toEqual({
      name: 'InvalidConfigurationRequestException',
      message: expect.stringContaining(rule),
    });
    await fixture.elb.modifyRule({ RuleArn: rule, Actions: [sticky(own, [100, 0], 60)] });
    await set(first, { enabled: 'true', type: 'lb_cookie' });
    const loose = fixture.elb.modifyRule({ RuleArn: rule, Actions: [forward(own, 80, 20)] });
    expect((await errorOf(loose)).name).toBe('InvalidLoadBalancerActionException');
    await fixture.elb.modifyRule({ RuleArn: rule, Actions: [forward(own, 100)] });
  });

  it('holds for the listener of a Network Load Balancer as well, without a duration', async () => {
    const balance = (action: ReturnType<typeof forward>) =>
      fixture.elb.modifyListener({ ListenerArn: net.listener, DefaultActions: [action] });
    await balance(forward(net, 50, 50));
    expect((await errorOf(set(net.groups[1], { enabled: 'true' }))).name).toBe(
      'InvalidConfigurationRequestException',
    );
    await balance(sticky(net, [50, 50]));
    const { Listeners } = await fixture.elb.describeListeners({ ListenerArns: [net.listener] });
    expect(Listeners?.[0]?.DefaultActions?.[0]?.ForwardConfig?.TargetGroupStickinessConfig).toEqual({
      Enabled: true,
    });
    await set(net.groups[1], { enabled: 'true', type: 'source_ip' });
    expect((await errorOf(balance(forward(net, 50, 50)))).name).toBe('InvalidLoadBalancerActionException');
  });

  it('is known to a proxy that starts later', async () => {
    const own = await createSite(fixture);
    await set(own.groups[0], { enabled: 'true', type: 'lb_cookie' });
    const second = await startProxy({ upstream: fixture.motoUrl });
    const elb = fixture.client({ endpoint: second.url });
    expect((await errorOf(elb.createRule(ruleInput(own)))).name).toBe('InvalidLoadBalancerActionException');
    await second.close();
  });
});
