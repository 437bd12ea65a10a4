import { describe, expect, it } from 'vitest';
import { onStage } from './rollout/on-stage.ts';
import type { Stage } from './rollout/stage.ts';

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

  /** A Cell behind a Network Load Balancer whose listener forwards to 1.0.0. */
  async function network(name: string): Promise<string> {
    const listenerARN = await stage.networkListener(`${name}a`);
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name }, 'TCP');
    const spec = { replicas: 1, ...strategy({ analysis }, { promote: {} }) };
    await stage.apply(stage.networkCell(name, listenerARN, { spec }));
    await stage.untilPhase(name, 'Completed', '1.0.0');
    await stage.mark();
    return listenerARN;
  }

  it('A-N01 on a Network Load Balancer is analysed while nothing moves, and then gets everything by one write', async () => {
    const listenerARN = await network('n01');
    stage.metrics.rate = undefined;
    await stage.targetGroups('2.0.0', ['n01b'], { role: 'n01' }, 'TCP');
    await stage.untilStatus('n01', 'analysing', (status) => status.analysisRun !== undefined);
    expect(await stage.defaultWeights(listenerARN)).toEqual({ n01a: 1 });
    expect(await stage.writes()).toEqual([]);
    stage.metrics.rate = 1;
    await stage.untilPhase('n01', 'Completed', '2.0.0');
    // It joins at 0 first, so that the load balancer looks at its targets; one write moves the traffic.
    expect(await stage.writes()).toEqual([
      { n01a: 100, n01b: 0 },
      { n01a: 0, n01b: 100 },
    ]);
    expect(await stage.analysisRuns('n01')).toHaveLength(1);
  });

  it('A-N02 on a Network Load Balancer stays with what serves when the analysis fails, and the version is blocked', async () => {
    const listenerARN = await network('n02');
    stage.metrics.rate = 0.5;
    await stage.targetGroups('2.0.0', ['n02b'], { role: 'n02' }, 'TCP');
    const status = await stage.untilPhase('n02', 'Reverted', '1.0.0');
    expect(status.blockedVersions).toMatchObject([{ version: '2.0.0' }]);
    expect(await stage.defaultWeights(listenerARN)).toEqual({ n02a: 1 });
    expect(await stage.writes()).toEqual([]);
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
    ).toContain('Expected no canary block, because updateStrategy.type is BlueGreen');
    expect(
      await refused({ updateStrategy: { type: 'Canary', blueGreen: { steps: [{ promote: {} }] } } }),
    ).toContain('Expected no blueGreen block, because updateStrategy.type is Canary');
  });

  it('A-N04 on an Application Load Balancer is switched by one write, and goes back by one when what comes after fails', async () => {
    await stage.targetGroups('1.0.0', ['alba'], { role: 'alb' });
    const spec = strategy({ pause: {} }, { promote: {} }, { analysis });
    await stage.apply(stage.cell('alb', { priority, role: 'alb', spec }));
    await stage.untilPhase('alb', 'Completed', '1.0.0');
    await stage.mark();
    await stage.targetGroups('2.0.0', ['albb'], { role: 'alb' });
    const paused = await stage.untilPhase('alb', 'Paused');
    expect(paused).toMatchObject({ step: '0/3', canaryWeight: 0 });
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
