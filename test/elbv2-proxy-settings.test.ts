import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRule, errorOf, healthOf, path, setWeights, weightsOf } from './elbv2-proxy/calls.ts';
import { createSite, startFixture } from './elbv2-proxy/fixture.ts';
import type { Fixture, Site } from './elbv2-proxy/fixture.ts';

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
  it('throttle reads and writes by buckets of their own', async () => {
    const none = { burst: 1, perSecond: 0 };
    await fixture.control.changeSettings({
      throttle: { code: 'Throttling', reads: { burst: 2, perSecond: 0 }, writes: none },
    });
    const read = () => fixture.elb.describeRules({ RuleArns: [rule] });
    const write = () => move([70, 30]);
    const ends = [];
    for (const call of [read, read, read, write, write]) ends.push((await errorOf(call())).name);
    await fixture.control.resetSettings();
    expect(ends).toEqual(['nothing', 'nothing', 'Throttling', 'nothing', 'Throttling']);
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
});
