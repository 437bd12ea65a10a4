import { describe, expect, it } from 'vitest';
import { AWS_TARGET_GROUP, CELL } from '../../clients/kubernetes/kinds.ts';
import type { CanaryStep } from '../../crds/cell.ts';
import { onStage } from '../support/stage/on-stage.ts';
import type { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

describe('what interrupts a rollout', () => {
  let stage: Stage;
  let priority = 0;
  onStage({ totals: [20, 30, 40, 60] }, (opened, free) => {
    stage = opened;
    priority = free;
  });

  const steps: readonly CanaryStep[] = [{ setWeight: 20 }, { pause: {} }, { setWeight: 40 }, { pause: {} }];
  const cell = (name: string, spec: object = {}, list: readonly CanaryStep[] = steps): object =>
    stage.cell(name, { priority, role: name, steps: list, spec });
  async function serving(name: string, spec: object = {}): Promise<void> {
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
    await stage.apply(cell(name, spec));
    await stage.untilPhase(name, 'Completed', '1.0.0');
  }
  const newer = (name: string): Promise<void> => stage.targetGroups('2.0.0', [`${name}b`], { role: name });
  async function pausedAt20(name: string, spec: object = {}): Promise<void> {
    await serving(name, spec);
    await newer(name);
    await untilPausedAt(name, 20);
  }
  const untilPausedAt = async (name: string, weight: number): Promise<unknown> =>
    stage.untilStatus(
      name,
      `paused at ${weight}`,
      (status) => status.phase === 'Paused' && status.canaryWeight === weight,
    );

  it('an abort does not wait for targets to become healthy', async () => {
    await serving('ill');
    await stage.targetGroups('2.0.0', ['illb'], { role: 'elsewhere' });
    const targetGroupArn = stage.arns.get('illb') ?? '';
    await stage.proxy.setTargets({ targetGroupArn, state: 'unhealthy' });
    await stage.label(AWS_TARGET_GROUP, 'illb', { role: 'ill' });
    await stage.untilStatus('ill', 'waiting for health', (status) => status.reason === 'WaitingForHealth');
    await stage.signal('ill', 'abort', { by: 'ann' });
    await stage.untilPhase('ill', 'Reverted', '1.0.0');
    // Without a healthy target it does not wait in the rule either.
    await stage.untilWeights({ illa: 100 }, priority);
    expect((await stage.writes()).map((weights) => weights['illb'] ?? 0)).toEqual([0, 0, 0]);
    await stage.proxy.clearTargets(targetGroupArn);
  });

  it('an abort does not wait for the settle time', async () => {
    await serving('dust', { settle: '1h' });
    await newer('dust');
    await stage.untilStatus('dust', 'settling', (status) => status.reason === 'WaitingForSettle');
    await stage.signal('dust', 'abort');
    await stage.untilPhase('dust', 'Reverted', '1.0.0');
    expect((await stage.writes()).at(-1)).toEqual({ dusta: 100, dustb: 0 });
  });

  it('steps that are edited continue at the first whose weight is not below the present one', async () => {
    await pausedAt20('plan');
    await stage.apply(
      cell('plan', {}, [{ setWeight: 10 }, { setWeight: 30 }, { pause: {} }, { setWeight: 60 }]),
    );
    await untilPausedAt('plan', 30);
    await stage.signal('plan', 'promote');
    await stage.untilPhase('plan', 'Completed', '2.0.0');
    expect((await stage.writes()).slice(2)).toEqual([
      { plana: 80, planb: 20 },
      { plana: 70, planb: 30 },
      { plana: 40, planb: 60 },
      { plana: 0, planb: 100 },
    ]);
  });

  it('a selector that selects the new version no more takes everything back, and blocks nothing', async () => {
    await pausedAt20('pick');
    await stage.kubectl('label', 'awstargetgroup', 'pickb', 'role=other', '--overwrite');
    const status = await stage.untilPhase('pick', 'Completed', '1.0.0');
    expect((await stage.writes()).slice(-2)).toEqual([{ picka: 80, pickb: 20 }, { picka: 100 }]);
    expect(status.blockedVersions).toEqual([]);
    expect(status.history?.[0]?.outcome).toBe('Withdrawn');
    // What the Cell does not select any more leaves with its weight, which nothing else may do.
    const left = expect.stringMatching(/^I4: .*-pickb\/\S+ while it carried 20$/) as string;
    expect(await stage.violations([20], priority)).toEqual([left]);
    await stage.mark();
  });

  it('a stable target group that goes is taken out at once, paused or not, and the canary keeps its weight', async () => {
    await stage.targetGroups('1.0.0', ['twoa1', 'twoa2'], { role: 'two' });
    await stage.apply(cell('two', { replicas: 2 }));
    await stage.untilPhase('two', 'Completed', '1.0.0');
    await stage.targetGroups('2.0.0', ['twob1', 'twob2'], { role: 'two' });
    await untilPausedAt('two', 20);
    await stage.signal('two', 'pause', { by: 'ann' });
    await stage.delete(AWS_TARGET_GROUP, 'twoa2');
    await stage.untilWeights({ twoa1: 80, twob1: 10, twob2: 10 }, priority);
    await untilPausedAt('two', 20);
    // What the Cell does not select any more leaves with its weight, which nothing else may do.
    const left = expect.stringMatching(/^I4: .*-twoa2\/\S+ while it carried 40$/) as string;
    expect(await stage.violations([20], priority)).toEqual([left]);
    await stage.mark();
    await stage.signal('two', 'abort');
    await stage.untilPhase('two', 'Reverted', '1.0.0');
    expect(await stage.weights(priority)).toEqual({ twoa1: 100, twob1: 0, twob2: 0 });
    // What takes all weight from the canary reads the health of both sides.
    expect(await stage.violations([20], priority)).toEqual([]);
  });

  it('more replicas than there are leave a rollout alone', async () => {
    await pausedAt20('more');
    await stage.apply(cell('more', { replicas: 2 }));
    await stage.untilStatus('more', 'seen again', (status) => status.observedGeneration === 2);
    expect(await stage.weights(priority)).toEqual({ morea: 80, moreb: 20 });
    await stage.signal('more', 'promoteFull');
    await stage.untilStatus('more', 'at 2.0.0', (status) => status.stableVersion === '2.0.0');
    expect(await stage.weights(priority)).toEqual({ morea: 0, moreb: 100 });
  });

  it('a Cell that is deleted in the midst leaves its rule as it is, and its workflow ends', async () => {
    await pausedAt20('gone');
    const writes = (await stage.writes()).length;
    await stage.delete(CELL, 'gone');
    await stage.untilClosed(stage.workflowId('gone'));
    await until('the configuration to go', async () => (await stage.config('gone')) === undefined);
    expect(await stage.writes()).toHaveLength(writes);
    expect(await stage.weights(priority)).toEqual({ gonea: 80, goneb: 20 });
  });
});
