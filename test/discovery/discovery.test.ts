import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { AWS_TARGET_GROUP } from '../../clients/kubernetes/kinds.ts';
import { Stage } from '../support/stage/stage.ts';
import { exampleSteps } from '../support/stage/steps.ts';
import { until } from '../support/until.ts';

describe('discovery and the first release', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await Stage.open(inject('stack'));
  });
  afterAll(() => stage.close());
  beforeEach(() => stage.mark());
  let priority = 0;
  beforeEach(() => {
    priority += 10;
  });
  afterEach(async () => {
    expect(await stage.violations([], priority)).toEqual([]);
  });

  const hostsOf = async (at: number): Promise<unknown> =>
    (await stage.rule(at))?.Conditions?.map(({ Field, HostHeaderConfig }) => [
      Field,
      HostHeaderConfig?.Values,
    ]);
  const writeActions = async (): Promise<readonly string[]> =>
    (await stage.calls()).filter((call) => call.applied).map((call) => call.action);

  it('A-C01 installs the first set at 100, with replicas omitted and without its steps, and never touches the default rule', async () => {
    const defaults = async () => (await stage.rules()).filter((rule) => rule.IsDefault);
    const before = await defaults();
    await stage.apply(stage.analysisTemplate('success-rate'));
    await stage.targetGroups('1.0.0', ['c01'], { role: 'c01' });
    await stage.apply(stage.cell('c01', { priority, role: 'c01', steps: exampleSteps }));
    const status = await stage.untilPhase('c01', 'Completed');
    expect(status.desiredVersion).toBe('1.0.0');
    expect(status.history).toMatchObject([{ version: '1.0.0', outcome: 'Installed' }]);
    expect(await stage.weights(priority)).toEqual({ c01: 100 });
    expect(await hostsOf(priority)).toEqual([['host-header', ['example.com']]]);
    expect(await writeActions()).toEqual(['CreateRule']);
    const config = await stage.config('c01');
    expect(config?.metadata.ownerReferences?.[0]).toMatchObject({
      kind: 'Cell',
      name: 'c01',
      controller: true,
    });
    expect(config?.spec.listener.rule.forward.targetGroups).toEqual([
      { name: 'c01', arn: stage.arns.get('c01'), weight: 100 },
    ]);
    expect(await stage.analysisRuns('c01')).toEqual([]);
    expect(await defaults()).toEqual(before);
  });

  it('A-C02, A-C03 waits for the second of a pair and then creates the rule in one call', async () => {
    await stage.targetGroups('1.0.0', ['c02a'], { role: 'c02' });
    await stage.apply(stage.cell('c02', { priority, role: 'c02', spec: { replicas: 2 } }));
    const status = await stage.untilPhase('c02', 'Waiting');
    expect(status).toMatchObject({ availableTargetGroups: 1, desiredTargetGroups: 2 });
    expect(status.message).toContain('1 of 2 target groups at 1.0.0');
    expect(await stage.config('c02')).toBeUndefined();
    expect(await stage.writes()).toEqual([]);
    await stage.targetGroups('1.0.0', ['c02b'], { role: 'c02' });
    await stage.untilPhase('c02', 'Completed');
    expect(await stage.writes()).toEqual([{ c02a: 50, c02b: 50 }]);
  });

  it('A-C04 gives the odd share to the last by name', async () => {
    await stage.targetGroups('1.0.0', ['c04a', 'c04b', 'c04c'], { role: 'c04' });
    await stage.apply(stage.cell('c04', { priority, role: 'c04', spec: { replicas: 2 } }));
    await stage.untilPhase('c04', 'Completed');
    expect(await stage.weights(priority)).toEqual({ c04a: 33, c04b: 33, c04c: 34 });
  });

  it('A-C05 starts by itself once the second version is complete', async () => {
    await stage.targetGroups('1.0.0', ['c05a1', 'c05a2'], { role: 'c05' });
    await stage.apply(stage.cell('c05', { priority, role: 'c05', spec: { replicas: 2 } }));
    await stage.untilPhase('c05', 'Completed', '1.0.0');
    await stage.targetGroups('2.0.0', ['c05b1'], { role: 'c05' });
    const waiting = await stage.untilPhase('c05', 'Waiting');
    expect(waiting.message).toContain('1 of 2 target groups at 2.0.0');
    expect(await stage.writes()).toHaveLength(1);
    await stage.targetGroups('2.0.0', ['c05b2'], { role: 'c05' });
    await stage.untilPhase('c05', 'Completed', '2.0.0');
    expect(await stage.weights(priority)).toEqual({ c05a1: 0, c05a2: 0, c05b1: 50, c05b2: 50 });
  });

  it('A-C06 rolls out all groups when there are more than replicas', async () => {
    await stage.targetGroups('1.0.0', ['c06a1', 'c06a2'], { role: 'c06' });
    await stage.apply(stage.cell('c06', { priority, role: 'c06', spec: { replicas: 2 } }));
    await stage.untilPhase('c06', 'Completed', '1.0.0');
    await stage.targetGroups('2.0.0', ['c06b1', 'c06b2', 'c06b3'], { role: 'c06' });
    await stage.untilPhase('c06', 'Completed', '2.0.0');
    expect(await stage.weights(priority)).toEqual({ c06a1: 0, c06a2: 0, c06b1: 33, c06b2: 33, c06b3: 34 });
  });

  it('A-C07 counts only groups that the selector selects, in its own namespace', async () => {
    await stage.targetGroups('1.0.0', ['c07a'], { role: 'c07' });
    await stage.targetGroups('1.0.0', ['c07x', 'c07y'], { role: 'c07-other' });
    const namespace = `${stage.namespace}-other`;
    await stage.kubernetes.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await stage.apply({
      ...stage.targetGroup('1.0.0', 'c07y', {}),
      metadata: { namespace, name: 'c07y', labels: { role: 'c07', 'okra.mumo.co/version': '1.0.0' } },
    });
    await stage.apply(stage.cell('c07', { priority, role: 'c07', spec: { replicas: 2 } }));
    const status = await stage.untilPhase('c07', 'Waiting');
    expect(status).toMatchObject({ availableTargetGroups: 1, desiredTargetGroups: 2 });
    expect(await stage.config('c07')).toBeUndefined();
    await stage.label(AWS_TARGET_GROUP, 'c07x', { role: 'c07' });
    await stage.untilPhase('c07', 'Completed', '1.0.0');
    expect(await stage.writes()).toEqual([{ c07a: 50, c07x: 50 }]);
  });

  it('A-C08 orders versions by semver', async () => {
    await stage.targetGroups('1.9.0', ['c08a'], { role: 'c08' });
    await stage.apply(stage.cell('c08', { priority, role: 'c08' }));
    await stage.untilPhase('c08', 'Completed', '1.9.0');
    await stage.targetGroups('1.10.0-rc.1', ['c08rc'], { role: 'c08' });
    await stage.untilPhase('c08', 'Completed', '1.10.0-rc.1');
    await stage.targetGroups('1.10.0', ['c08b'], { role: 'c08' });
    await stage.untilPhase('c08', 'Completed', '1.10.0');
  });

  it('A-C09 sets a bad or missing version apart, says so, and rolls out the others', async () => {
    await stage.targetGroups('latest', ['c09bad'], { role: 'c09' });
    await stage.targetGroups(undefined, ['c09none'], { role: 'c09' });
    await stage.targetGroups('1.0.0', ['c09a'], { role: 'c09' });
    await stage.apply(stage.cell('c09', { priority, role: 'c09' }));
    const status = await stage.untilPhase('c09', 'Completed', '1.0.0');
    expect(status.rejectedTargetGroups?.map((one) => [one.name, one.reason])).toEqual([
      ['c09bad', 'InvalidVersion'],
      ['c09none', 'MissingVersion'],
    ]);
    const condition = status.conditions?.find((one) => one.type === 'TargetGroupsAccepted');
    expect(condition).toMatchObject({ status: 'False' });
    expect(condition?.message).toContain('Invalid version "latest"');
  });

  it('A-C10 takes the version from the first of the labels that it names', async () => {
    const label = { 'team.io/ver': '3.0.0' };
    await stage.targetGroups('1.0.0', ['c10a'], { role: 'c10' });
    await stage.targetGroups('2.0.0', ['c10b'], { role: 'c10', ...label });
    const targetGroupSelector = {
      matchLabels: { role: 'c10' },
      versionLabels: ['team.io/ver', 'okra.mumo.co/version'],
    };
    const rule = { priority, hosts: ['example.com'], forward: {} };
    const awsApplicationLoadBalancer = {
      listenerARN: stage.listenerARN,
      listener: { rule },
      targetGroupSelector,
    };
    const ingress = { type: 'AWSApplicationLoadBalancer', awsApplicationLoadBalancer };
    await stage.apply(stage.cell('c10', { spec: { ingress } }));
    await stage.untilPhase('c10', 'Completed', '3.0.0');
    expect(await stage.weights(priority)).toEqual({ c10b: 100 });
  });

  it('A-C11 takes the version from the label that versionedBy names, and from no other', async () => {
    const key = 'okra.mumoshu.github.io/version';
    const labels = { role: 'c11', [key]: '1.0.0' };
    await stage.targetGroups(undefined, ['c11a'], labels);
    await stage.targetGroups(undefined, ['c11b'], { ...labels, 'okra.mumo.co/version': '9.9.9' });
    for (const name of ['c11a', 'c11b']) stage.versions.set(stage.arns.get(name) ?? '', '1.0.0');
    const awsApplicationLoadBalancer = {
      listenerARN: stage.listenerARN,
      // The form of old had no rule. Okra leaves the default rule alone, so that there has to be one.
      listener: { rule: { priority, hosts: ['example.com'], forward: {} } },
      targetGroupSelector: { matchLabels: { role: 'c11' } },
    };
    await stage.apply({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'Cell',
      metadata: { name: 'c11' },
      spec: {
        ingress: { type: 'AWSApplicationLoadBalancer', awsApplicationLoadBalancer },
        replicas: 2,
        versionedBy: { label: key },
      },
    });
    const status = await stage.untilPhase('c11', 'Completed', '1.0.0');
    expect(status.desiredVersion).toBe('1.0.0');
    expect(await hostsOf(priority)).toEqual([['host-header', ['example.com']]]);
    expect(await stage.writes()).toEqual([{ c11a: 50, c11b: 50 }]);
  });

  it('A-C27 refuses weights out of range at admission, and names the step', async () => {
    const refused = (...steps: readonly object[]): Promise<string> =>
      stage.apply(stage.cell('c27', { priority, spec: { updateStrategy: { canary: { steps } } } })).then(
        () => 'accepted',
        (error: unknown) => String(error),
      );
    expect(await refused({ setWeight: 20 }, { setWeight: 120 })).toContain('canary.steps[1].setWeight');
    expect(await refused({ stepWeight: 60 }, { stepWeight: 60 })).toContain(
      'The stepWeights of steps must add up to at most 100',
    );
    expect(await refused({ setWeight: 20 }, { stepWeight: 20 })).toContain(
      'must not mix setWeight and stepWeight',
    );
  });

  it('reaches the Cells that select a group when its labels change or it is deleted', async () => {
    await stage.targetGroups('1.0.0', ['sela1', 'sela2'], { role: 'sel' });
    await stage.apply(stage.cell('sel', { priority, role: 'sel', spec: { replicas: 1 } }));
    await stage.untilWeights({ sela1: 50, sela2: 50 }, priority);
    await stage.untilPhase('sel', 'Completed', '1.0.0');
    await stage.delete(AWS_TARGET_GROUP, 'sela2');
    await stage.untilStatus(
      'sel',
      'spread over one group',
      (status) => status.targetGroups?.filter((group) => group.weight > 0).length === 1,
    );
    // The group that is gone left the rule while it carried traffic: that is what was asked for.
    await stage.mark();
  });

  it('starts nothing for an unchanged Cell after the watchers were started again', async () => {
    await stage.targetGroups('1.0.0', ['idle'], { role: 'idle' });
    await stage.apply(stage.cell('idle', { priority, role: 'idle' }));
    await stage.untilPhase('idle', 'Completed', '1.0.0');
    const runs = () => stage.count(`OkraNamespace="${stage.namespace}" AND OkraCell IS NOT NULL`);
    const settled = await until('the number of runs to stay', async () => {
      const first = await runs();
      await stage.temporal('operator', 'cluster', 'health');
      return (await runs()) === first ? first : undefined;
    });
    await stage.okrad.end('SIGTERM');
    stage.okrad.start();
    // A Cell that is new is served after all the others were looked at.
    await stage.targetGroups('1.0.0', ['after'], { role: 'after' });
    await stage.apply(stage.cell('after', { priority: priority + 1, role: 'after' }));
    await stage.untilPhase('after', 'Completed', '1.0.0');
    const others = await stage.count(`OkraNamespace="${stage.namespace}" AND OkraCell!="after"`);
    expect(others).toBe(settled);
    await stage.mark();
  });
});
