import { describe, expect, it } from 'vitest';
import { AWS_TARGET_GROUP, CELL } from '../../clients/kubernetes/kinds.ts';
import { onStage } from '../support/stage/on-stage.ts';
import type { Stage } from '../support/stage/stage.ts';
import { exampleSteps, exampleTotals } from '../support/stage/steps.ts';
import { until } from '../support/until.ts';

type Named = { readonly name: string; readonly weight: number };

describe('bad input and faults', () => {
  let stage: Stage;
  let priority = 0;
  onStage({ totals: [...exampleTotals, 60] }, (opened, free) => {
    stage = opened;
    priority = free;
  });

  async function serving(name: string, steps = exampleSteps): Promise<void> {
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
    await stage.apply(stage.cell(name, { priority, role: name, steps }));
    await stage.untilPhase(name, 'Completed', '1.0.0');
  }
  const listenerName = (): string => stage.listenerARN.split('/')[2] ?? '';
  const match = (action: string) => ({ action, contains: `/${listenerName()}/` });

  it('A-C36 holds at its weight while the write of the next one is throttled, says so, and analyses only afterwards', async () => {
    await serving('c36');
    stage.metrics.rate = undefined;
    // What is not healthy gets no weight, so that the write which is refused is the one to 20.
    await stage.targetGroups('2.0.0', ['c36b'], { role: 'none' });
    const targetGroupArn = stage.arns.get('c36b') ?? '';
    await stage.proxy.setTargets({ targetGroupArn, state: 'unhealthy' });
    await stage.targetGroups('2.0.0', ['c36b'], { role: 'c36' });
    await stage.untilStatus('c36', 'held by health', (status) => status.reason === 'WaitingForHealth');
    const weightsOf = (forward: { readonly targetGroups: readonly Named[] } | undefined): object =>
      Object.fromEntries(forward?.targetGroups.map(({ name, weight }) => [name, weight]) ?? []);
    const fault = await stage.proxy.addFault({
      kind: 'throttle',
      match: match('ModifyRule'),
      times: 'always',
    });
    await stage.proxy.clearTargets(targetGroupArn);
    const config = await until('the configuration to say Error', async () => {
      const found = await stage.config('c36');
      return found?.status?.phase === 'Error' ? found : undefined;
    });
    expect(config.status?.reason).toBe('Throttled');
    expect(weightsOf(config.spec.listener.rule.forward)).toEqual({ c36a: 80, c36b: 20 });
    expect(weightsOf(config.status?.listener?.rule.forward)).toEqual({ c36a: 100, c36b: 0 });
    const held = await stage.untilStatus('c36', 'throttled', (status) => status.reason === 'Throttled');
    expect(held).toMatchObject({ canaryWeight: 0, step: '1/4' });
    expect(await stage.analysisRuns('c36')).toEqual([]);
    expect(await stage.weights(priority)).toEqual({ c36a: 100, c36b: 0 });
    await stage.proxy.removeFault(fault);
    await stage.untilStatus('c36', 'analysing', (status) => status.analysisRun !== undefined);
    const { phase, listener } = (await stage.config('c36'))?.status ?? {};
    expect(phase).toBe('Updated');
    expect(weightsOf(listener?.rule.forward)).toEqual({ c36a: 80, c36b: 20 });
    stage.metrics.rate = 1;
    await stage.untilPhase('c36', 'Completed', '2.0.0');
    expect(await stage.writes()).toEqual([
      { c36a: 100 },
      { c36a: 100, c36b: 0 },
      { c36a: 80, c36b: 20 },
      { c36a: 60, c36b: 40 },
      { c36a: 0, c36b: 100 },
    ]);
    expect(await stage.violations(exampleTotals, priority)).toEqual([]);
  });

  it('does not write a second time when AWS applied a write and answered 500', async () => {
    await serving('after', [{ setWeight: 20 }, { pause: {} }]);
    await stage.mark();
    await stage.proxy.addFault({ kind: 'error', when: 'after', status: 500, match: match('ModifyRule') });
    await stage.targetGroups('2.0.0', ['afterb'], { role: 'after' });
    await stage.untilStatus(
      'after',
      'paused at 20',
      (status) => status.phase === 'Paused' && status.canaryWeight === 20,
    );
    expect(await stage.writes()).toEqual([
      { aftera: 100, afterb: 0 },
      { aftera: 80, afterb: 20 },
    ]);
    await stage.signal('after', 'promoteFull');
    await stage.untilPhase('after', 'Completed', '2.0.0');
    expect(await stage.violations([20], priority)).toEqual([]);
  });

  it('creates the rule once when AWS created it and answered 500', async () => {
    await stage.proxy.addFault({ kind: 'error', when: 'after', status: 500, match: match('CreateRule') });
    await serving('created');
    expect((await stage.calls()).filter((call) => call.action === 'CreateRule')).toHaveLength(1);
    expect(await stage.violations([], priority)).toEqual([]);
  });

  it('goes by the answer of CreateRule for as long as no read shows the new rule', async () => {
    const contains = `/${listenerName()}/`;
    const fault = await stage.proxy.addFault({
      kind: 'unseen',
      // Longer than a read-back waits.
      forMs: 5000,
      times: 'always',
      match: { action: ['DescribeRules', 'DescribeTags'], contains },
    });
    await serving('unseen', [{ setWeight: 20 }]);
    expect((await stage.calls()).filter((call) => call.action === 'CreateRule' && call.applied)).toHaveLength(
      1,
    );
    await stage.targetGroups('2.0.0', ['unseenb'], { role: 'unseen' });
    await stage.untilPhase('unseen', 'Completed', '2.0.0');
    await stage.proxy.removeFault(fault);
    expect(await stage.violations([20], priority)).toEqual([]);
  });

  it('waits out stale reads instead of writing again', async () => {
    await serving('stale', [{ setWeight: 20 }]);
    await stage.mark();
    await stage.proxy.addFault({ kind: 'stale', staleMs: 600, match: match('DescribeRules'), times: 4 });
    await stage.targetGroups('2.0.0', ['staleb'], { role: 'stale' });
    await stage.untilPhase('stale', 'Completed', '2.0.0');
    expect(await stage.writes()).toHaveLength(3);
    expect(await stage.violations([20], priority)).toEqual([]);
  });

  it('aborts a rollout whose write is being throttled', async () => {
    await serving('urgent', [{ setWeight: 20 }, { pause: {} }, { setWeight: 60 }]);
    await stage.targetGroups('2.0.0', ['urgentb'], { role: 'urgent' });
    await stage.untilStatus('urgent', 'paused', (status) => status.phase === 'Paused');
    await stage.proxy.addFault({ kind: 'throttle', match: match('ModifyRule'), times: 3 });
    await stage.signal('urgent', 'resume');
    await until('a throttled write', async () =>
      (await stage.calls()).some((call) => call.fault !== undefined && call.action === 'ModifyRule'),
    );
    await stage.signal('urgent', 'abort');
    await stage.untilPhase('urgent', 'Reverted', '1.0.0');
    expect(await stage.weights(priority)).toEqual({ urgenta: 100, urgentb: 0 });
    expect(await stage.violations([20, 60], priority)).toEqual([]);
  });

  it('gives no weight to groups without healthy targets, says so, and continues when they are healthy', async () => {
    await serving('health', [{ setWeight: 20 }]);
    await stage.targetGroups('2.0.0', ['healthb'], { role: 'sick' });
    const targetGroupArn = stage.arns.get('healthb') ?? '';
    await stage.proxy.setTargets({ targetGroupArn, state: 'unhealthy', reason: 'Target.Timeout' });
    await stage.label(AWS_TARGET_GROUP, 'healthb', { role: 'health' });
    const held = await stage.untilStatus(
      'health',
      'held by health',
      (status) => status.reason === 'WaitingForHealth',
    );
    expect(held.message).toContain('1 unhealthy (Target.Timeout)');
    expect(held.conditions?.find((one) => one.type === 'Degraded')).toMatchObject({
      status: 'True',
      reason: 'UnhealthyTargets',
    });
    expect(await stage.weights(priority)).toEqual({ healtha: 100, healthb: 0 });
    await stage.proxy.clearTargets(targetGroupArn);
    await stage.untilPhase('health', 'Completed', '2.0.0');
    expect(await stage.violations([20], priority)).toEqual([]);
  });

  it('fails the rollout when the targets do not become healthy in time', async () => {
    await stage.targetGroups('1.0.0', ['sicka'], { role: 'sick2' });
    await stage.apply(
      stage.cell('sick', {
        priority,
        role: 'sick2',
        steps: [{ setWeight: 20 }],
        spec: { healthTimeout: '2s' },
      }),
    );
    await stage.untilPhase('sick', 'Completed', '1.0.0');
    await stage.targetGroups('2.0.0', ['sickb'], { role: 'none' });
    await stage.proxy.setTargets({ targetGroupArn: stage.arns.get('sickb') ?? '', state: 'unhealthy' });
    await stage.label(AWS_TARGET_GROUP, 'sickb', { role: 'sick2' });
    const status = await stage.untilPhase('sick', 'Reverted', '1.0.0');
    expect(status.blockedVersions?.[0]?.cause).toContain('did not become healthy in time');
    // No target of it is healthy, so that it leaves the rule as well.
    await stage.untilWeights({ sicka: 100 }, priority);
    expect((await stage.writes()).every((write) => (write['sickb'] ?? 0) === 0)).toBe(true);
  });

  it('says that a template is missing, stops nothing else, and continues once it is there', async () => {
    const steps = [{ setWeight: 20 }, { analysis: { templates: [{ templateName: 'late' }] } }];
    await serving('late', steps);
    await stage.targetGroups('2.0.0', ['lateb'], { role: 'late' });
    const status = await stage.untilStatus(
      'late',
      'without its template',
      (one) => one.reason === 'AnalysisTemplateNotFound',
    );
    expect(status.message).toContain('AnalysisTemplate late not found');
    await stage.apply(stage.analysisTemplate('late', []));
    await stage.untilPhase('late', 'Completed', '2.0.0');
    expect(await stage.violations([20], priority)).toEqual([]);
  });

  it('says that a listener is missing', async () => {
    await stage.targetGroups('1.0.0', ['lost'], { role: 'lost' });
    const cell = JSON.parse(
      JSON.stringify(stage.cell('lost', { priority, role: 'lost' })).replaceAll(
        stage.listenerARN,
        stage.listenerARN.replace(/[0-9a-f]+$/, '0123456789abcdef'),
      ),
    ) as object;
    await stage.apply(cell);
    const status = await stage.untilStatus(
      'lost',
      'without its listener',
      (one) => one.reason === 'ListenerNotFound',
    );
    expect(status.conditions?.find((one) => one.type === 'Degraded')).toMatchObject({
      status: 'True',
      reason: 'ListenerNotFound',
    });
    await stage.delete(CELL, 'lost');
  });

  it('refuses a rollout of more than five groups before anything is written', async () => {
    await stage.targetGroups('1.0.0', ['m1', 'm2', 'm3', 'm4'], { role: 'many' });
    await stage.apply(stage.cell('many', { priority, role: 'many', spec: { replicas: 2 } }));
    await stage.untilPhase('many', 'Completed', '1.0.0');
    await stage.mark();
    await stage.targetGroups('2.0.0', ['n1', 'n2'], { role: 'many' });
    const status = await stage.untilPhase('many', 'Failed');
    expect(status.message).toContain('6 target groups; expected at most 5');
    expect(await stage.writes()).toEqual([]);
  });
});
