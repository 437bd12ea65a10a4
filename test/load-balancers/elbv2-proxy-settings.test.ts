import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRule, errorOf, healthOf, path, setWeights, weightsOf } from './elbv2-proxy/calls.ts';
import { createSite, startFixture, type Fixture, type Site } from './elbv2-proxy/fixture.ts';

let fixture: Fixture;
let site: Site;
let rule: string;

beforeAll(async () => {
  fixture = await startFixture();
  site = await createSite(fixture);
  rule = await createRule(fixture.elb, site);
}, 120_000);

afterAll(() => fixture[Symbol.asyncDispose]());

afterEach(async () => {
  await fixture.control.clearTargets();
  await fixture.control.resetSettings();
});

const move = (weights: readonly number[]) => setWeights(fixture.elb, site, { arn: rule, weights });

describe('settings', () => {
  it('throttle reads, registrations and other writes by buckets of their own', async () => {
    const none = { burst: 1, perSecond: 0 };
    await fixture.control.changeSettings({
      throttle: {
        code: 'Throttling',
        reads: { burst: 2, perSecond: 0 },
        writes: none,
        registrations: { burst: 2, perSecond: 0 },
      },
    });
    const read = () => fixture.elb.describeRules({ RuleArns: [rule] });
    const write = () => move([70, 30]);
    const register = () =>
      fixture.elb.registerTargets({ TargetGroupArn: site.groups[0], Targets: [{ Id: '10.0.0.1' }] });
    const ends = [];
    const calls = [read, read, read, write, write, register, register, register];
    for (const call of calls) ends.push((await errorOf(call())).name);
    await fixture.control.resetSettings();
    const twice = ['nothing', 'nothing', 'Throttling'];
    expect(ends).toEqual([...twice, 'nothing', 'Throttling', ...twice]);
  });

  it('let rules be unseen for a while after they were created, though their priority is taken', async () => {
    const own = await createSite(fixture);
    const fault = {
      kind: 'unseen',
      forMs: 60_000,
      times: 'always',
      match: { contains: own.listener },
    } as const;
    const armed = await fixture.control.addFault(fault);
    const created = await createRule(fixture.elb, own);
    const byListener = () => fixture.elb.describeRules({ ListenerArn: own.listener });
    const seen = (await byListener()).Rules?.map((one) => one.Priority);
    const taken = await errorOf(createRule(fixture.elb, own));
    await fixture.control.removeFault(armed);
    await fixture.control.changeSettings({ newRulesUnseenMs: 60_000 });
    const byName = await errorOf(weightsOf(fixture.elb, created));
    const tags = await errorOf(fixture.elb.describeTags({ ResourceArns: [created] }));
    expect([seen, taken.name, byName.name, tags.name]).toEqual([
      ['default'],
      'PriorityInUseException',
      'RuleNotFoundException',
      'RuleNotFoundException',
    ]);
    await fixture.control.resetSettings();
    expect(await weightsOf(fixture.elb, created)).toEqual([100, 0]);
  });

  it('make the first reads after each write stale', async () => {
    await fixture.control.changeSettings({ staleReads: { calls: 1 } });
    await move([90, 10]);
    await weightsOf(fixture.elb, rule);
    await move([80, 20]);
    expect([await weightsOf(fixture.elb, rule), await weightsOf(fixture.elb, rule)]).toEqual([
      [90, 10],
      [80, 20],
    ]);
  });

  it('cut small pages that add up to everything', async () => {
    const own = await createSite(fixture);
    for (const Priority of [30, 4, 12])
      await createRule(fixture.elb, own, { Priority, Conditions: [path(`/${Priority}`)] });
    const priorities: (string | undefined)[][] = [];
    let Marker: string | undefined;
    do {
      const page = await fixture.elb.describeRules({ ListenerArn: own.listener, ...(Marker && { Marker }) });
      priorities.push((page.Rules ?? []).map((one) => one.Priority));
      Marker = page.NextMarker;
    } while (Marker);
    expect(priorities).toEqual([
      ['4', '12'],
      ['30', 'default'],
    ]);
    await fixture.control.changeSettings({ pageSize: 400 });
    expect((await fixture.elb.describeRules({ ListenerArn: own.listener })).Rules?.length).toBe(4);
    const wrong = fixture.elb.describeRules({ ListenerArn: own.listener, Marker: 'nonsense' });
    expect((await errorOf(wrong)).name).toBe('ValidationError');
  });
});

describe('policies', () => {
  it('hold for the caller with the access key, until they are cleared', async () => {
    const other = fixture.client({ accessKeyId: 'reader' });
    const reads = { Effect: 'Allow' as const, Action: 'elasticloadbalancing:Describe*', Resource: '*' };
    await fixture.control.setPolicy('reader', { Version: '2012-10-17', Statement: [reads] });
    const write = () => setWeights(other, site, { arn: rule, weights: [50, 50] });
    expect(await weightsOf(other, rule)).toHaveLength(2);
    expect(await errorOf(write())).toEqual({
      name: 'AccessDenied',
      message: `User: arn:aws:iam::123456789012:user/reader is not authorized to perform: elasticloadbalancing:ModifyRule on resource: ${rule} because no identity-based policy allows the elasticloadbalancing:ModifyRule action`,
    });
    await move([60, 40]);
    await fixture.control.clearPolicies();
    await write();
    expect(await weightsOf(fixture.elb, rule)).toEqual([50, 50]);
  });
});

describe('targets', () => {
  it('are what a test says, as many as it says', async () => {
    const targetGroupArn = site.groups[0] ?? '';
    await fixture.control.setTargets({
      targetGroupArn,
      state: 'unhealthy',
      reason: 'Target.Timeout',
      count: 1,
    });
    expect(await healthOf(fixture.elb, targetGroupArn)).toEqual(['unhealthy Target.Timeout', 'healthy']);
    const [logged] = (
      await fixture.control.calls({ targetGroup: targetGroupArn, action: 'DescribeTargetHealth' })
    ).slice(-1);
    expect(logged?.health).toEqual([
      { id: '10.0.0.1', state: 'unhealthy', reason: 'Target.Timeout' },
      { id: '10.0.0.2', state: 'healthy' },
    ]);
    await fixture.control.clearTargets(targetGroupArn);
    expect(await healthOf(fixture.elb, targetGroupArn)).toEqual(['healthy', 'healthy']);
  });

  it('are initial for a while, and draining after they were deregistered for as long as their group lets them', async () => {
    const own = await createSite(fixture);
    const [TargetGroupArn = ''] = own.groups;
    await createRule(fixture.elb, own);
    const match = { action: 'DescribeTargetHealth', contains: TargetGroupArn } as const;
    await fixture.control.addFault({ kind: 'initial', forMs: 60_000, match });
    expect(await healthOf(fixture.elb, TargetGroupArn)).toEqual([
      'initial Elb.InitialHealthChecking',
      'initial Elb.InitialHealthChecking',
    ]);
    await fixture.elb.deregisterTargets({ TargetGroupArn, Targets: [{ Id: '10.0.0.1' }] });
    await fixture.control.addFault({ kind: 'draining', forMs: 60_000, times: 2, match });
    expect(await healthOf(fixture.elb, TargetGroupArn)).toEqual([
      'healthy',
      'draining Target.DeregistrationInProgress',
    ]);
    await fixture.elb.modifyTargetGroupAttributes({
      TargetGroupArn,
      Attributes: [{ Key: 'deregistration_delay.timeout_seconds', Value: '0' }],
    });
    expect(await healthOf(fixture.elb, TargetGroupArn)).toEqual(['healthy']);
  });

  it('in a zone that no load balancer of their group has are unused', async () => {
    const own = await createSite(fixture);
    const [TargetGroupArn = ''] = own.groups;
    await createRule(fixture.elb, own);
    const found = await fixture.elb.describeLoadBalancers({ LoadBalancerArns: [own.loadBalancer] });
    const [zone] = found.LoadBalancers?.[0]?.AvailabilityZones ?? [];
    await fixture.elb.registerTargets({
      TargetGroupArn,
      Targets: [
        { Id: '10.0.0.3', AvailabilityZone: zone?.ZoneName },
        { Id: '10.0.0.4', AvailabilityZone: 'us-east-1z' },
      ],
    });
    const { TargetHealthDescriptions = [] } = await fixture.elb.describeTargetHealth({ TargetGroupArn });
    expect(
      TargetHealthDescriptions.map(({ Target, TargetHealth }) => [
        Target?.AvailabilityZone,
        TargetHealth?.State,
      ]),
    ).toEqual([
      [undefined, 'healthy'],
      [undefined, 'healthy'],
      [zone?.ZoneName, 'healthy'],
      ['us-east-1z', 'unused'],
    ]);
  });
});
