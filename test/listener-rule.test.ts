import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { Stage } from './rollout/stage.ts';
import { until } from './until.ts';

describe('the listener rule of a Cell', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open(inject('stack'));
  });
  afterAll(() => stage.close());
  afterEach(async () => {
    expect(await stage.violations([], 12, 13, 14, 600)).toEqual([]);
  });

  const conditions = {
    priority: 12,
    hosts: ['a.com'],
    pathPatterns: ['/api/*'],
    methods: ['get'],
    sourceIPs: ['10.0.0.0/8'],
    headers: { 'x-env': ['canary'] },
    forward: {},
  };

  it('A-R01, A-R06 has all the conditions that the Cell names, and is not written again while nothing changes', async () => {
    await stage.targetGroups('1.0.0', ['r01'], { role: 'r01' });
    await stage.apply(stage.cell('r01', { role: 'r01', rule: conditions }));
    await stage.untilPhase('r01', 'Completed', '1.0.0');
    const Rules = await stage.rules();
    const rule = Rules.find((one) => one.Priority === '12');
    expect(rule?.Conditions?.map((one) => one.Field).toSorted()).toEqual([
      'host-header',
      'http-header',
      'http-request-method',
      'path-pattern',
      'source-ip',
    ]);
    expect(
      rule?.Conditions?.find((one) => one.Field === 'http-request-method')?.HttpRequestMethodConfig?.Values,
    ).toEqual(['GET']);
    await stage.mark();
    const id = `load-balancer/${stage.namespace}/r01`;
    for (let again = 0; again < 10; again += 1)
      await stage.signalWithStart('loadBalancerConfig', id, 'drifted', 'r01');
    await until('the rule to be read again', async () =>
      (await stage.calls()).some((call) => call.action === 'DescribeRules'),
    );
    await stage.untilClosed(id);
    expect(await stage.writes()).toEqual([]);
  });

  it('A-R01 matches by query string, and a changed condition is one write that keeps the weights', async () => {
    await stage.targetGroups('1.0.0', ['r04'], { role: 'r04' });
    await stage.apply(
      stage.cell('r04', { role: 'r04', rule: { priority: 13, queryStrings: { v: '2' }, forward: {} } }),
    );
    await stage.untilPhase('r04', 'Completed', '1.0.0');
    await stage.mark();
    await stage.apply(
      stage.cell('r04', { role: 'r04', rule: { priority: 13, hosts: ['www.example.com'], forward: {} } }),
    );
    await until('the new condition', async () => {
      const Rules = await stage.rules();
      return (
        Rules.find((one) => one.Priority === '13')?.Conditions?.[0]?.HostHeaderConfig?.Values?.[0] ===
        'www.example.com'
      );
    });
    expect(await stage.writes()).toEqual([{ r04: 100 }]);
  });

  it('A-R02 is refused without a condition or a priority, with a message that says what is missing', async () => {
    const refused = async (rule: object): Promise<string> =>
      stage.apply(stage.cell('r02', { rule })).then(
        () => 'accepted',
        (error: unknown) => String(error),
      );
    expect(await refused({ priority: 10 })).toContain('ELBv2 does not support a rule without conditions');
    expect(await refused({ hosts: ['a.com'] })).toMatch(/priority: Required value/);
  });

  it('A-R03 leaves the default rule and the rules of others as they are', async () => {
    const foreign = {
      ListenerArn: stage.listenerARN,
      Priority: 500,
      Conditions: [{ Field: 'host-header', HostHeaderConfig: { Values: ['other.com'] } }],
    };
    await stage.targetGroups('1.0.0', ['r03', 'r03other'], { role: 'r03' });
    await stage.elbv2.createRule({
      ...foreign,
      Actions: [{ Type: 'forward', TargetGroupArn: stage.arns.get('r03other') }],
    });
    const others = async (): Promise<unknown> => {
      const Rules = await stage.rules();
      return Rules.filter((one) => one.IsDefault === true || one.Priority === '500');
    };
    const before = await others();
    await stage.apply(stage.cell('r03', { role: 'r03', priority: 14 }));
    await stage.untilPhase('r03', 'Completed', '1.0.0');
    expect(await others()).toEqual(before);
  });

  it('A-R08 refuses to take over a rule that is not its own, says so, and adopts it when told to', async () => {
    await stage.targetGroups('1.0.0', ['r08'], { role: 'r08' });
    await stage.targetGroups(undefined, ['r08other'], { role: 'other' });
    await stage.elbv2.createRule({
      ListenerArn: stage.listenerARN,
      Priority: 600,
      Conditions: [{ Field: 'host-header', HostHeaderConfig: { Values: ['other.com'] } }],
      Actions: [{ Type: 'forward', TargetGroupArn: stage.arns.get('r08other') }],
    });
    await stage.apply(stage.cell('r08', { role: 'r08', priority: 600 }));
    const status = await stage.untilStatus('r08', 'in conflict', (one) => one.reason === 'Conflict');
    expect(status.message).toContain('okra.mumo.co/adopt');
    expect(await stage.weights(600)).toEqual({ r08other: expect.any(Number) as number });
    await stage.kubectl('annotate', 'cell', 'r08', 'okra.mumo.co/adopt=true');
    await stage.untilPhase('r08', 'Completed', '1.0.0');
    // Taking over drops what the other had, which is what the annotation asks for.
    await stage.mark();
  });
});
