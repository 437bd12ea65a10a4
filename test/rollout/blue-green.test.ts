import { describe, expect, it } from 'vitest';
import { onStage } from '../support/stage/on-stage.ts';
import type { Stage } from '../support/stage/stage.ts';

describe('a blue-green Cell', () => {
  let stage: Stage;
  let priority = 0;
  onStage({ totals: [] }, (opened, free) => {
    stage = opened;
    priority = free;
  });

  const analysis = {
    templates: [{ templateName: 'success-rate' }],
    args: [{ name: 'service-name', value: 'guestbook-svc.default.svc.cluster.local' }],
  };
  const strategy = (...steps: readonly object[]): object => ({
    updateStrategy: { type: 'BlueGreen', blueGreen: { steps } },
  });

  it('A-N03, A-N04 is refused with steps that never promote, and with steps of a canary', async () => {
    const refused = (spec: object): Promise<string> =>
      stage.apply(stage.cell('n03', { priority, role: 'n03', spec })).then(
        () => 'accepted',
        (error: unknown) => String(error),
      );
    expect(await refused(strategy({ analysis }))).toContain('exactly one promote');
    expect(
      await refused({ updateStrategy: { type: 'BlueGreen', canary: { steps: [{ setWeight: 20 }] } } }),
    ).toContain('updateStrategy.canary must not be set, because updateStrategy.type is BlueGreen');
    expect(
      await refused({ updateStrategy: { type: 'Canary', blueGreen: { steps: [{ promote: {} }] } } }),
    ).toContain('updateStrategy.blueGreen must not be set, because updateStrategy.type is Canary');
  });

  it('A-N04 on an Application Load Balancer is switched by one write, and goes back by one when what comes after fails', async () => {
    await stage.targetGroups('1.0.0', ['alba'], { role: 'alb' });
    const spec = strategy({ pause: {} }, { promote: {} }, { analysis });
    await stage.apply(stage.cell('alb', { priority, role: 'alb', spec }));
    await stage.untilPhase('alb', 'Completed', '1.0.0');
    await stage.mark();
    await stage.targetGroups('2.0.0', ['albb'], { role: 'alb' });
    const paused = await stage.untilPhase('alb', 'Paused');
    expect(paused).toMatchObject({ step: '1/3', canaryWeight: 0 });
    stage.metrics.rate = 0.5;
    await stage.signal('alb', 'resume');
    await stage.untilPhase('alb', 'Reverted', '1.0.0');
    expect(await stage.writes()).toEqual([
      { alba: 100, albb: 0 },
      { alba: 0, albb: 100 },
      { alba: 100, albb: 0 },
    ]);
  });
});
