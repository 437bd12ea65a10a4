import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { AWS_APPLICATION_LOAD_BALANCER_TARGET_DEPLOYMENT, CELL } from '../../clients/kubernetes/kinds.ts';
import type { AWSApplicationLoadBalancerTargetDeployment } from '../../crds/aws-application-load-balancer-target-deployment.ts';
import { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

describe('the listener rule of a Cell', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open(inject('stack'));
  });
  afterAll(() => stage.close());
  afterEach(async () => {
    expect(await stage.violations([20], 12, 13, 14, 15, 16, 17, 18, 19, 21, 22, 23, 24, 25, 600)).toEqual([]);
  });

  // ELBv2 takes five values in a rule, so that all kinds of conditions need two.
  const rules = {
    r01: {
      priority: 12,
      hosts: ['a.com'],
      pathPatterns: ['/api/*'],
      methods: ['get'],
      headers: { 'x-env': ['canary'] },
      queryStrings: { v: '2' },
      forward: {},
    },
    r04: {
      priority: 13,
      sourceIPs: ['10.0.0.0/8'],
      headers: { 'x-a': ['1'], 'x-b': ['2'] },
      queryStrings: { v: '2', w: '3' },
      forward: {},
    },
  };
  /** The conditions of a rule as AWS says, one text each. */
  const conditionsAt = async (priority: number): Promise<readonly string[] | undefined> =>
    (await stage.rule(priority))?.Conditions?.flatMap((one) => {
      const { Values: names = [] } =
        one.HostHeaderConfig ??
        one.PathPatternConfig ??
        one.HttpRequestMethodConfig ??
        one.SourceIpConfig ??
        {};
      const { HttpHeaderName, Values: headers = [] } = one.HttpHeaderConfig ?? {};
      const pairs = one.QueryStringConfig?.Values ?? [];
      return [
        ...names.map((value) => `${one.Field} ${value}`),
        ...headers.map((value) => `${one.Field} ${HttpHeaderName} ${value}`),
        ...pairs.map(({ Key, Value }) => `${one.Field} ${Key}=${Value}`),
      ];
    }).toSorted();

  it('A-R01, A-R06 has all the conditions that the Cell names, is not written again in ten syncs while nothing changes, and once when they change', async () => {
    const cells = Object.keys(rules);
    for (const [name, rule] of Object.entries(rules)) {
      await stage.targetGroups('1.0.0', [name], { role: name });
      await stage.apply(stage.cell(name, { role: name, rule }));
    }
    for (const name of cells) await stage.untilPhase(name, 'Completed', '1.0.0');
    expect(await conditionsAt(12)).toEqual([
      'host-header a.com',
      'http-header x-env canary',
      'http-request-method GET',
      'path-pattern /api/*',
      'query-string v=2',
    ]);
    expect(await conditionsAt(13)).toEqual([
      'http-header x-a 1',
      'http-header x-b 2',
      'query-string v=2',
      'query-string w=3',
      'source-ip 10.0.0.0/8',
    ]);
    for (const name of cells) await stage.untilAtRest(name);
    await stage.mark();
    for (let round = 1; round <= 5; round += 1) {
      for (const name of cells) {
        await stage.signalWithStart('cellRollout', stage.workflowId(name), 'drifted', name);
      }
      for (const name of cells) await stage.untilAtRest(name);
    }
    const actions = (await stage.calls()).map((call) => call.action);
    expect(actions.filter((action) => action === 'DescribeRules').length).toBeGreaterThanOrEqual(10);
    expect(actions.filter((action) => !action.startsWith('Describe'))).toEqual([]);
    const rule = { priority: 13, hosts: ['www.example.com'], forward: {} };
    await stage.apply(stage.cell('r04', { role: 'r04', rule }));
    await until('the new condition', async () => {
      const now = await conditionsAt(13);
      return now?.join() === 'host-header www.example.com';
    });
    expect(await stage.writes()).toEqual([{ r04: 100 }]);
  });

  it('swaps its priority with that of another Cell in two edits, and is a conflict in one', async () => {
    const ruleOf = (host: string, priority: number) => ({ priority, hosts: [`${host}.com`], forward: {} });
    const swapped = ['swapa', 'swapb'] as const;
    const place = (name: string, priority: number): Promise<void> =>
      stage.apply(stage.cell(name, { role: name, rule: ruleOf(name, priority) }));
    await Promise.all(swapped.map((name) => stage.targetGroups('1.0.0', [name], { role: name })));
    await Promise.all(swapped.map((name, index) => place(name, 23 + index)));
    await Promise.all(swapped.map((name) => stage.untilPhase(name, 'Completed', '1.0.0')));
    await place('swapa', 24);
    await until('the conflict', async () => {
      const message = (await stage.config('swapa'))?.status?.message ?? '';
      return message.includes('move the other rule to a free priority first');
    });
    await place('swapb', 25);
    await until('the first of them to move', async () => {
      const [first, second] = await Promise.all([stage.weights(24), stage.weights(25)]);
      return first?.['swapa'] !== undefined && second?.['swapb'] !== undefined;
    });
    await place('swapb', 23);
    await until('the rules to have changed places', async () => {
      const [first, second] = await Promise.all([stage.weights(23), stage.weights(24)]);
      return first?.['swapb'] !== undefined && second?.['swapa'] !== undefined;
    });
    await until('both to say so', async () => {
      const configs = await Promise.all(swapped.map((name) => stage.config(name)));
      const said = configs.map((config) => config?.status?.listener?.rule.priority);
      return said[0] === 24 && said[1] === 23;
    });
  });

  it('A-R04 gets new conditions in the midst of a rollout by one write that keeps the weights', async () => {
    const steps = [{ setWeight: 20 }, { pause: {} }];
    const rule = { priority: 15, hosts: ['example.com'], forward: {} };
    await stage.targetGroups('1.0.0', ['edita'], { role: 'edit' });
    await stage.apply(stage.cell('edit', { role: 'edit', rule, steps }));
    await stage.untilPhase('edit', 'Completed', '1.0.0');
    await stage.targetGroups('2.0.0', ['editb'], { role: 'edit' });
    await stage.untilPhase('edit', 'Paused');
    await stage.untilWeights({ edita: 80, editb: 20 }, 15);
    await stage.mark();
    const edited = { ...rule, hosts: ['www.example.com'] };
    await stage.apply(stage.cell('edit', { role: 'edit', rule: edited, steps }));
    await until('the new condition', async () => {
      const now = await stage.rule(15);
      return now?.Conditions?.[0]?.HostHeaderConfig?.Values?.[0] === 'www.example.com';
    });
    expect(await stage.writes()).toEqual([{ edita: 80, editb: 20 }]);
    await stage.signal('edit', 'promote');
    await stage.untilPhase('edit', 'Completed', '2.0.0');
  });

  it('A-R07 is what a configuration says that was written by hand, and its status repeats it', async () => {
    await stage.targetGroups(undefined, ['prev', 'next'], { role: 'none' });
    const targetGroups = [
      { name: 'prev', arn: stage.arns.get('prev'), weight: 40 },
      { name: 'next', arn: stage.arns.get('next'), weight: 60 },
    ];
    const rule = { priority: 20, hosts: ['x.com'], forward: { targetGroups } };
    const config = (spec: object): object => ({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'AWSApplicationLoadBalancerConfig',
      metadata: { name: 'alone' },
      spec: { listenerARN: stage.listenerARN, listener: { rule }, ...spec },
    });
    await stage.apply(config({}));
    await stage.kubectl('wait', '--for=condition=Ready', '--timeout=60s', 'awsalbc/alone');
    expect(await stage.weights(20)).toEqual({ prev: 40, next: 60 });
    expect((await stage.config('alone'))?.status).toMatchObject({
      observedGeneration: 1,
      listenerARN: stage.listenerARN,
      ruleARN: (await stage.rule(20))?.RuleArn,
      listener: { rule },
      phase: 'Created',
      weights: 'prev: 40, next: 60',
    });
    const swapped = targetGroups.map((group) => ({ ...group, weight: 100 - group.weight }));
    await stage.apply(config({ listener: { rule: { ...rule, forward: { targetGroups: swapped } } } }));
    await stage.untilWeights({ prev: 60, next: 40 }, 20);
    await until('the status to repeat it', async () => {
      const { phase, weights } = (await stage.config('alone'))?.status ?? {};
      return phase === 'Updated' && weights === 'prev: 60, next: 40';
    });
    // Weights set by hand ask nobody for the health of targets.
    await stage.mark();
  });

  it('A-R09 lets old groups without weight go first, so that what comes fits in', async () => {
    const names = (letter: string): string[] => ['1', '2'].map((n) => `r09${letter}${n}`);
    await stage.targetGroups('1.0.0', names('a'), { role: 'r09' });
    await stage.apply(stage.cell('r09', { priority: 16, role: 'r09', spec: { replicas: 2 } }));
    await stage.untilPhase('r09', 'Completed', '1.0.0');
    for (const [version, letter] of [
      ['2.0.0', 'b'],
      ['3.0.0', 'c'],
    ] as const) {
      await stage.targetGroups(version, names(letter), { role: 'r09' });
      await stage.untilPhase('r09', 'Completed', version);
    }
    expect(await stage.weights(16)).toEqual({ r09b1: 0, r09b2: 0, r09c1: 50, r09c2: 50 });
    for (const weights of await stage.writes()) {
      expect(Object.keys(weights).length).toBeLessThanOrEqual(5);
    }
  });

  it('A-R09 is not written when what serves and what comes do not fit into it together, and the Cell says so', async () => {
    await stage.targetGroups('1.0.0', ['manya1', 'manya2', 'manya3', 'manya4'], { role: 'many' });
    await stage.apply(stage.cell('many', { priority: 22, role: 'many', spec: { replicas: 2 } }));
    await stage.untilPhase('many', 'Completed', '1.0.0');
    await stage.mark();
    await stage.targetGroups('2.0.0', ['manyb1', 'manyb2'], { role: 'many' });
    const status = await stage.untilPhase('many', 'Failed');
    expect(status.reason).toBe('TooManyTargetGroups');
    expect(status.message).toContain('expected at most 5');
    expect(await stage.writes()).toEqual([]);
    expect(await stage.weights(22)).toEqual({ manya1: 25, manya2: 25, manya3: 25, manya4: 25 });
  });

  it('moves to another listener of its load balancer with its weights, and leaves nothing behind', async () => {
    const steps = [{ setWeight: 20 }, { pause: {} }];
    await stage.targetGroups('1.0.0', ['movea'], { role: 'move' });
    await stage.apply(stage.cell('move', { priority: 17, role: 'move', steps }));
    await stage.untilPhase('move', 'Completed', '1.0.0');
    await stage.targetGroups('2.0.0', ['moveb'], { role: 'move' });
    await stage.untilPhase('move', 'Paused');
    await stage.untilWeights({ movea: 80, moveb: 20 }, 17);
    const { Listeners } = await stage.elbv2.describeListeners({ ListenerArns: [stage.listenerARN] });
    const created = await stage.elbv2.createListener({
      LoadBalancerArn: Listeners?.[0]?.LoadBalancerArn,
      Protocol: 'HTTP',
      Port: 8080,
      DefaultActions: Listeners?.[0]?.DefaultActions,
    });
    const there = created.Listeners?.[0]?.ListenerArn ?? '';
    const others = (await stage.rules()).filter((rule) => rule.Priority !== '17');
    await stage.mark();
    const ingress = { awsApplicationLoadBalancer: { listenerARN: there } };
    await stage.patch(CELL, 'move', { spec: { ingress } });
    await until('the old rule to go', async () => (await stage.rule(17)) === undefined);
    expect(await stage.weights(17, there)).toEqual({ movea: 80, moveb: 20 });
    const writes = (await stage.calls()).filter((call) => call.applied);
    expect(writes.map((call) => call.action)).toEqual(['CreateRule', 'DeleteRule']);
    expect(await stage.rules()).toEqual(others);
    await stage.signal('move', 'promote');
    await stage.untilPhase('move', 'Completed', '2.0.0');
    expect(await stage.weights(17, there)).toEqual({ movea: 0, moveb: 100 });
  });

  it('moves to another priority with its weights', async () => {
    await stage.targetGroups('1.0.0', ['prio'], { role: 'prio' });
    await stage.apply(stage.cell('prio', { priority: 18, role: 'prio' }));
    await stage.untilPhase('prio', 'Completed', '1.0.0');
    const before = await stage.rule(18);
    await stage.apply(stage.cell('prio', { priority: 19, role: 'prio' }));
    await until('the rule to move', async () => (await stage.rule(19))?.RuleArn === before?.RuleArn);
    expect(await stage.rule(18)).toBeUndefined();
    expect(await stage.weights(19)).toEqual({ prio: 100 });
    await until(
      'the status to say so',
      async () => (await stage.config('prio'))?.status?.listener?.rule.priority === 19,
    );
  });

  it('is shown with its versions by an object that nobody edits', async () => {
    const steps = [{ setWeight: 20 }, { pause: {} }];
    await stage.targetGroups('1.0.0', ['viewa'], { role: 'view' });
    await stage.apply(stage.cell('view', { priority: 21, role: 'view', steps }));
    await stage.untilPhase('view', 'Completed', '1.0.0');
    await stage.targetGroups('2.0.0', ['viewb'], { role: 'view' });
    await stage.untilPhase('view', 'Paused');
    const read = () =>
      stage.kubernetes.get<AWSApplicationLoadBalancerTargetDeployment>(
        AWS_APPLICATION_LOAD_BALANCER_TARGET_DEPLOYMENT,
        { namespace: stage.namespace, name: 'view' },
      );
    expect(await read()).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'AWSApplicationLoadBalancerConfig', name: 'view' }] },
      status: {
        listenerARN: stage.listenerARN,
        ruleARN: (await stage.rule(21))?.RuleArn,
        priority: 21,
        version: '1.0.0',
        targetGroups: [
          { name: 'viewa', arn: stage.arns.get('viewa'), version: '1.0.0', weight: 80 },
          { name: 'viewb', arn: stage.arns.get('viewb'), version: '2.0.0', weight: 20 },
        ],
      },
    });
    expect(await stage.kubectl('get', 'awsalbtd', 'view')).toMatch(/view +1\.0\.0 +viewa: 80, viewb: 20 +21/);
    await stage.signal('view', 'promote');
    await stage.untilPhase('view', 'Completed', '2.0.0');
    expect((await read())?.status).toMatchObject({ version: '2.0.0', weights: 'viewa: 0, viewb: 100' });
  });

  it('A-R02 is refused without a condition or a priority, with a message that says what is missing', async () => {
    const refused = async (rule: object): Promise<string> =>
      stage.apply(stage.cell('r02', { rule })).then(
        () => 'accepted',
        (error: unknown) => String(error),
      );
    expect(await refused({ priority: 10 })).toContain('ELBv2 does not support a rule without conditions');
    expect(await refused({ ...rules.r01, sourceIPs: rules.r04.sourceIPs })).toContain(
      'at most 5 condition values',
    );
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
    expect(await conditionsAt(600)).toEqual(['host-header other.com']);
    await stage.kubectl('annotate', 'cell', 'r08', 'okra.mumo.co/adopt=true');
    await stage.untilPhase('r08', 'Completed', '1.0.0');
    // The other serves until the first version of the Cell has taken its steps, and leaves afterwards.
    await stage.untilWeights({ r08: 100 }, 600);
    await stage.untilStatus('r08', 'served by its own target group', (one) => one.targetGroups?.length === 1);
    expect(await conditionsAt(600)).toEqual(['host-header example.com']);
    await stage.mark();
  });
});
