import { describe, expect, it } from 'vitest';
import { AWS_APPLICATION_LOAD_BALANCER_CONFIG } from '../../clients/kubernetes/kinds.ts';
import { onStage } from '../support/stage/on-stage.ts';
import type { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

const steps = [{ setWeight: 20 }, { pause: {} }];

describe('what is served already', () => {
  let stage: Stage;
  let priority = 0;
  onStage({ totals: [20, 30] }, (opened, free) => {
    stage = opened;
    priority = free;
  });

  async function serving(name: string): Promise<void> {
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
    await stage.apply(stage.cell(name, { priority, role: name, steps }));
    await stage.untilPhase(name, 'Completed', '1.0.0');
    await stage.untilAtRest(name);
  }
  async function pausedAt20(name: string): Promise<void> {
    await serving(name);
    await stage.targetGroups('2.0.0', [`${name}b`], { role: name });
    await stage.untilStatus(
      name,
      'paused at 20',
      (status) => status.phase === 'Paused' && status.canaryWeight === 20,
    );
  }
  /** Deletes the configuration of a Cell by hand, and waits until there is another that is served. */
  async function deleteConfig(name: string): Promise<void> {
    const before = (await stage.config(name))?.metadata.uid;
    await stage.delete(AWS_APPLICATION_LOAD_BALANCER_CONFIG, name);
    await until('the configuration to be there again', async () => {
      const now = await stage.config(name);
      return now?.metadata.uid !== before && now?.status?.reason === 'Served';
    });
  }
  /** Creates a rule by hand that forwards with weights. */
  async function rule(weights: Readonly<Record<string, number>>): Promise<void> {
    await stage.elbv2.createRule({
      ListenerArn: stage.listenerARN,
      Priority: priority,
      Conditions: [{ Field: 'host-header', HostHeaderConfig: { Values: ['example.com'] } }],
      Actions: [
        {
          Type: 'forward',
          ForwardConfig: {
            TargetGroups: Object.entries(weights).map(([name, Weight]) => ({
              TargetGroupArn: stage.arns.get(name),
              Weight,
            })),
          },
        },
      ],
    });
  }

  it('keeps its weights when the configuration is deleted by hand in the midst of a canary', async () => {
    await pausedAt20('mid');
    await stage.mark();
    await deleteConfig('mid');
    expect(await stage.writes()).toEqual([]);
    expect(await stage.weights(priority)).toEqual({ mida: 80, midb: 20 });
    await stage.signal('mid', 'resume');
    await stage.untilPhase('mid', 'Completed', '2.0.0');
    expect(await stage.writes()).toEqual([{ mida: 0, midb: 100 }]);
  });

  it('is aborted by one write after the configuration was deleted by hand', async () => {
    await pausedAt20('gone');
    await stage.mark();
    await deleteConfig('gone');
    await stage.signal('gone', 'abort');
    await stage.untilPhase('gone', 'Reverted', '1.0.0');
    expect(await stage.writes()).toEqual([{ gonea: 100, goneb: 0 }]);
    await stage.untilAtRest('gone');

    // 2.0.0 is blocked now; deleting the configuration again does not let it in.
    await stage.mark();
    await deleteConfig('gone');
    await stage.untilAtRest('gone');
    expect(await stage.writes()).toEqual([]);
    expect(await stage.weights(priority)).toEqual({ gonea: 100, goneb: 0 });
    expect(await stage.status('gone')).toMatchObject({ phase: 'Reverted', stableVersion: '1.0.0' });
  });

  it('begins again with the stable version when rule and configuration are deleted by hand', async () => {
    await pausedAt20('both');
    await stage.mark();
    await stage.elbv2.deleteRule({ RuleArn: (await stage.rule(priority))?.RuleArn });
    await stage.kubectl('delete', 'awsalbc', 'both');
    await stage.untilStatus(
      'both',
      'paused at 20',
      (status) => status.phase === 'Paused' && status.canaryWeight === 20,
    );
    await until('three writes', async () => (await stage.writes()).length === 3);
    expect(await stage.writes()).toEqual([
      { botha: 100 },
      { botha: 100, bothb: 0 },
      { botha: 80, bothb: 20 },
    ]);
    await stage.signal('both', 'abort');
    await stage.untilPhase('both', 'Reverted', '1.0.0');
  });

  it('A-R08 is taken over from a rule made by hand when the Cell is told to, and the newer version takes the steps', async () => {
    await stage.targetGroups('1.0.0', ['hand'], { role: 'hand' });
    await stage.targetGroups('2.0.0', ['handb'], { role: 'hand' });
    await rule({ hand: 7 });
    await stage.mark();
    const cell = stage.cell('hand', { priority, role: 'hand', steps });
    await stage.apply(cell);
    const status = await stage.untilStatus('hand', 'in conflict', (one) => one.reason === 'Conflict');
    expect(status.message).toContain('okra.mumo.co/adopt');
    expect(await stage.config('hand')).toBeUndefined();
    await stage.apply({
      ...cell,
      metadata: { name: 'hand', annotations: { 'okra.mumo.co/adopt': 'true' } },
    });
    await stage.untilStatus(
      'hand',
      'paused at 20',
      (one) => one.phase === 'Paused' && one.canaryWeight === 20,
    );
    expect(await stage.writes()).toEqual([
      { hand: 100, handb: 0 },
      { hand: 80, handb: 20 },
    ]);
    expect((await stage.config('hand'))?.metadata.annotations?.['okra.mumo.co/adopt']).toBe('true');
    await stage.signal('hand', 'promote');
    await stage.untilPhase('hand', 'Completed', '2.0.0');
  });

  it('is taken over with the same shares where the weights add up to another total', async () => {
    await stage.targetGroups('1.0.0', ['shara'], { role: 'share' });
    await stage.targetGroups('2.0.0', ['sharb'], { role: 'share' });
    await rule({ shara: 7, sharb: 3 });
    await stage.mark();
    await stage.apply({
      ...stage.cell('share', { priority, role: 'share', steps: [{ setWeight: 30 }, { pause: {} }] }),
      metadata: { name: 'share', annotations: { 'okra.mumo.co/adopt': 'true' } },
    });
    await stage.untilStatus(
      'share',
      'paused at 30',
      (one) => one.phase === 'Paused' && one.canaryWeight === 30,
    );
    expect(await stage.writes()).toEqual([{ shara: 70, sharb: 30 }]);
    await stage.signal('share', 'promote');
    await stage.untilPhase('share', 'Completed', '2.0.0');
  });

  it('keeps its weights when the configuration is deleted while okrad is away', async () => {
    await pausedAt20('away');
    await stage.signal('away', 'resume');
    await stage.untilPhase('away', 'Completed', '2.0.0');
    await stage.untilAtRest('away');
    await stage.mark();
    await stage.okrad.end('SIGTERM');
    await stage.delete(AWS_APPLICATION_LOAD_BALANCER_CONFIG, 'away');
    stage.okrad.start();
    await until(
      'the configuration to be there again',
      async () => (await stage.config('away'))?.status?.reason === 'Served',
    );
    expect(await stage.writes()).toEqual([]);
    expect(await stage.weights(priority)).toEqual({ awaya: 0, awayb: 100 });
  });
});
