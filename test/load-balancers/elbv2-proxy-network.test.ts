import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNetworkListener, createTargetGroup, defaultVPC } from '../../local/aws-fixture.ts';
import { startProxy } from '../../local/elbv2-proxy/server.ts';
import { errorOf, forward, healthOf } from './elbv2-proxy/calls.ts';
import { createSite, startFixture, type Fixture, type Site } from './elbv2-proxy/fixture.ts';

let fixture: Fixture;
let net: Site;

beforeAll(async () => {
  fixture = await startFixture();
  net = await createSite(fixture, { type: 'network', groups: 3 });
}, 120_000);

afterAll(() => fixture[Symbol.asyncDispose]());

const balance = (site: Site, ...weights: readonly number[]) =>
  fixture.elb.modifyListener({ ListenerArn: site.listener, DefaultActions: [forward(site, ...weights)] });

const asEmulator = (arn: string): string => arn.replace('/net/', '/app/');

async function lastCall(action: string) {
  return (await fixture.control.calls({ listener: net.listener, action })).at(-1);
}

describe('a Network Load Balancer', () => {
  it('is named as AWS names it, with its listeners and rules', async () => {
    const { elb } = fixture;
    const balancers = await elb.describeLoadBalancers({ Names: [net.name] });
    const listeners = await elb.describeListeners({ LoadBalancerArn: net.loadBalancer });
    const rules = await elb.describeRules({ ListenerArn: net.listener });
    const tags = await elb.describeTags({ ResourceArns: [net.loadBalancer, net.listener] });
    expect(net.loadBalancer).toContain(`:loadbalancer/net/${net.name}/`);
    expect(balancers.LoadBalancers?.[0]?.LoadBalancerArn).toBe(net.loadBalancer);
    expect(listeners.Listeners?.map((one) => [one.ListenerArn, one.LoadBalancerArn])).toEqual([
      [net.listener, net.loadBalancer],
    ]);
    expect(rules.Rules?.map((one) => one.RuleArn?.includes(`:listener-rule/net/${net.name}/`))).toEqual([
      true,
    ]);
    expect(tags.TagDescriptions?.map((one) => one.ResourceArn)).toEqual([net.loadBalancer, net.listener]);
    const groups = await elb.describeTargetGroups({ LoadBalancerArn: net.loadBalancer });
    expect(groups.TargetGroups?.map((one) => one.LoadBalancerArns)).toEqual([[net.loadBalancer]]);
  });

  it('is not found by the name that the emulator has for it', async () => {
    const { elb } = fixture;
    const ends = [
      elb.describeListeners({ LoadBalancerArn: asEmulator(net.loadBalancer) }),
      elb.describeRules({ ListenerArn: asEmulator(net.listener) }),
      elb.modifyListener({ ListenerArn: asEmulator(net.listener), DefaultActions: [forward(net, 1)] }),
      elb.deleteListener({ ListenerArn: asEmulator(net.listener) }),
      elb.addTags({ ResourceArns: [asEmulator(net.listener)], Tags: [{ Key: 'a' }] }),
    ];
    expect(await Promise.all(ends.map(async (end) => (await errorOf(end)).name))).toEqual([
      'LoadBalancerNotFoundException',
      'ListenerNotFoundException',
      'ListenerNotFoundException',
      'ListenerNotFoundException',
      'ListenerNotFoundException',
    ]);
    await elb.deleteLoadBalancer({ LoadBalancerArn: asEmulator(net.loadBalancer) });
    const left = await elb.describeLoadBalancers({ LoadBalancerArns: [net.loadBalancer] });
    expect(left.LoadBalancers?.length).toBe(1);
  });

  it('keeps its name for a proxy that starts later', async () => {
    const second = await startProxy({ upstream: fixture.motoUrl });
    const elb = fixture.client({ endpoint: second.url });
    const { Listeners } = await elb.describeListeners({ ListenerArns: [net.listener] });
    expect(Listeners?.map((one) => one.LoadBalancerArn)).toEqual([net.loadBalancer]);
    await second.close();
  });

  it('weighs several target groups in the default action of a listener', async () => {
    await balance(net, 80, 20, 0);
    const { Listeners } = await fixture.elb.describeListeners({ ListenerArns: [net.listener] });
    const [action] = Listeners?.[0]?.DefaultActions ?? [];
    expect(action?.TargetGroupArn).toBeUndefined();
    expect(action?.ForwardConfig?.TargetGroups).toEqual(
      [80, 20, 0].map((Weight, index) => ({ TargetGroupArn: net.groups[index], Weight })),
    );
  });

  it('shows one target group in both forms of the action', async () => {
    await fixture.elb.modifyListener({
      ListenerArn: net.listener,
      DefaultActions: [{ Type: 'forward', TargetGroupArn: net.groups[0] }],
    });
    const { Listeners } = await fixture.elb.describeListeners({ ListenerArns: [net.listener] });
    expect(Listeners?.[0]?.DefaultActions).toMatchObject([
      {
        TargetGroupArn: net.groups[0],
        ForwardConfig: { TargetGroups: [{ TargetGroupArn: net.groups[0], Weight: 1 }] },
      },
    ]);
  });

  it('shows targets as unused until its listener names their group, at any weight', async () => {
    await balance(net, 100);
    expect(await healthOf(fixture.elb, net.groups[1])).toEqual([
      'unused Target.NotInUse',
      'unused Target.NotInUse',
    ]);
    await balance(net, 100, 0);
    expect(await healthOf(fixture.elb, net.groups[1])).toEqual(['healthy', 'healthy']);
  });
});

describe('the log of a Network Load Balancer', () => {
  it('shows the default rule before and after a write to its listener, with the tags of the listener', async () => {
    await fixture.elb.addTags({ ResourceArns: [net.listener], Tags: [{ Key: 'owner', Value: 'me' }] });
    await balance(net, 100, 0);
    await balance(net, 60, 40);
    const view = (...weights: readonly number[]) => ({
      ruleArn: expect.stringContaining(':listener-rule/net/'),
      listenerArn: net.listener,
      priority: 'default',
      conditions: [],
      forward: weights.map((weight, index) => ({ arn: net.groups[index], weight })),
      listenerTags: { owner: 'me' },
    });
    expect(await lastCall('ModifyListener')).toMatchObject({
      applied: true,
      parameters: { ListenerArn: net.listener },
      before: [view(100, 0)],
      after: [view(60, 40)],
    });
  });

  it('shows the default rule where its listener was tagged', async () => {
    await fixture.elb.addTags({ ResourceArns: [net.listener], Tags: [{ Key: 'extra', Value: '1' }] });
    const added = await lastCall('AddTags');
    await fixture.elb.removeTags({ ResourceArns: [net.listener], TagKeys: ['extra'] });
    const removed = await lastCall('RemoveTags');
    const tagsIn = (views: typeof added) =>
      [views?.before, views?.after].map((some) => some?.map((one) => one.listenerTags?.['extra']));
    expect([tagsIn(added), tagsIn(removed)]).toEqual([
      [[undefined], ['1']],
      [['1'], [undefined]],
    ]);
  });

  it('is found by faults under the name that AWS has for it', async () => {
    await fixture.control.addFault({ kind: 'throttle', match: { contains: `net/${net.name}/` } });
    expect((await errorOf(balance(net, 100))).name).toBe('Throttling');
    await balance(net, 100);
  });
});

describe('a rule of a Network Load Balancer', () => {
  it('tells clients apart by the type of their address, and is read, changed and removed', async () => {
    const { elb } = fixture;
    const { arn } = await createTargetGroup(elb, 'dual-a', { protocol: 'TCP' });
    const other = await createTargetGroup(elb, 'dual-b', { protocol: 'TCP' });
    const made = await createNetworkListener(elb, 'dual', arn, 'dualstack');
    const Conditions = [{ Field: 'source-ip', SourceIpConfig: { IpAddressType: 'ipv4' as const } }];
    const weighted = (...weights: readonly number[]) => [
      {
        Type: 'forward' as const,
        ForwardConfig: {
          TargetGroups: [arn, other.arn].map((TargetGroupArn, index) => ({
            TargetGroupArn,
            Weight: weights[index],
          })),
        },
      },
    ];
    const { Rules: [rule] = [] } = await elb.createRule({
      ListenerArn: made.listenerArn,
      Priority: 10,
      Conditions,
      Actions: weighted(100, 0),
    });
    await elb.modifyRule({ RuleArn: rule?.RuleArn, Actions: weighted(90, 10) });
    const { Rules = [] } = await elb.describeRules({ ListenerArn: made.listenerArn });
    expect(Rules).toMatchObject([
      { RuleArn: rule?.RuleArn, Priority: '10', Conditions, Actions: weighted(90, 10) },
      { IsDefault: true },
    ]);
    expect(rule?.RuleArn).toContain(':listener-rule/net/dual/');
    await elb.deleteRule({ RuleArn: rule?.RuleArn });
    expect((await elb.describeRules({ ListenerArn: made.listenerArn })).Rules).toHaveLength(1);
  });

  it('is refused where the load balancer has IPv4 alone', async () => {
    const refused = fixture.elb.createRule({
      ListenerArn: net.listener,
      Priority: 10,
      Conditions: [{ Field: 'source-ip', SourceIpConfig: { IpAddressType: 'ipv4' } }],
      Actions: [forward(net, 100)],
    });
    expect((await errorOf(refused)).name).toBe('InvalidConfigurationRequestException');
  });
});

describe('QUIC', () => {
  it('goes to target groups of QUIC, whose targets have server ids', async () => {
    const { elb } = fixture;
    const VpcId = await defaultVPC(elb);
    const made = await elb.createTargetGroup({
      Name: 'quic',
      Protocol: 'TCP_QUIC',
      Port: 443,
      VpcId,
      TargetType: 'ip',
    });
    const [group] = made.TargetGroups ?? [];
    const TargetGroupArn = group?.TargetGroupArn;
    await elb.registerTargets({
      TargetGroupArn,
      Targets: [{ Id: '10.0.0.1', QuicServerId: '0xa1b2c3d4e5f60718' }],
    });
    const action = { Type: 'forward' as const, TargetGroupArn };
    const { Listeners = [] } = await elb.createListener({
      LoadBalancerArn: net.loadBalancer,
      Protocol: 'QUIC',
      Port: 443,
      DefaultActions: [action],
    });
    const found = await elb.describeListeners({ ListenerArns: [Listeners[0]?.ListenerArn ?? ''] });
    const groups = await elb.describeTargetGroups({ TargetGroupArns: [TargetGroupArn ?? ''] });
    expect([found.Listeners?.[0]?.Protocol, groups.TargetGroups?.[0]?.Protocol]).toEqual([
      'QUIC',
      'TCP_QUIC',
    ]);
  });
});

describe('the fixture of tests', () => {
  it('makes a listener of a Network Load Balancer that forwards to a target group with a healthy target', async () => {
    const { arn } = await createTargetGroup(fixture.elb, 'fixture-net', { protocol: 'TCP' });
    const made = await createNetworkListener(fixture.elb, 'fixture-net', arn);
    expect(made.loadBalancerArn).toContain(':loadbalancer/net/fixture-net/');
    const { Listeners } = await fixture.elb.describeListeners({ ListenerArns: [made.listenerArn] });
    expect(Listeners).toMatchObject([{ Protocol: 'TCP', DefaultActions: [{ TargetGroupArn: arn }] }]);
    expect(await healthOf(fixture.elb, arn)).toEqual(['healthy']);
  });
});
