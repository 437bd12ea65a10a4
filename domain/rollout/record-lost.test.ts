import { describe, expect, it } from 'vitest';
import type { CanaryStep, CellSpec, CellStatus } from '../../crds/cell.ts';
import { decide } from './decide.ts';
import { lostRunRead } from './record-lost.ts';
import { initialState } from '../model/state.ts';
import { aCell, weightsOf } from '../testing/builders.ts';
import { rollingOut } from '../testing/rolling-out.ts';
import { Simulation } from '../testing/simulation.ts';

const NOW = Date.UTC(2026, 10, 20);
const rollout = { id: 'r1', startedAt: '2026-01-01T00:00:00Z', workflowId: 'cell/default/web', runId: 'r' };
type Canary = NonNullable<NonNullable<CellSpec['updateStrategy']>['canary']>;
const running = { name: 'web-1-rate-r1', phase: 'Running', message: '' } as const;

/** What is done next, at rest, for a Cell whose run was lost during a rollout. */
function atRest(status: Partial<CellStatus>, canary: Canary = {}): string {
  const observed = aCell()
    .withSpec({ updateStrategy: { type: 'Canary', canary } })
    .withGroups('1.0.0', 'a')
    .serving({ a: 100 })
    .withStatus({ stableVersion: '1.0.0', rollout, ...status })
    .seen();
  const { cell } = observed;
  if (cell === undefined) throw new Error('Expected a Cell.');
  return decide(observed, lostRunRead(initialState, cell, { is: 'Unknown' }, NOW), NOW).do;
}

describe('a run that has left a rollout behind', () => {
  it.each<[string, Partial<CellStatus>]>([
    ['an analysis', { analysisRun: running }],
    ['an analysis in the background', { backgroundAnalysisRun: running }],
    ['an experiment', { experiment: running }],
    ['a check', { check: running }],
    ['a job', { job: running }],
  ])('and %s has what measures still ended, at rest', (_, status) => {
    expect(atRest(status)).toBe('Prune');
  });

  const analysis = { templates: [{ templateName: 'rate' }] };
  it.each<[string, Canary]>([
    ['a step', { steps: [{ analysis }] }],
    ['the background', { analysis: { ...analysis, startingStep: 0 } }],
  ])('and may have measured in %s before it was lost once before has it ended, too', (_, canary) => {
    expect(atRest({}, canary)).toBe('Prune');
  });

  it('and measures nothing has nothing to end', () => expect(atRest({})).toBe('Close'));
});

describe('a run that Okra has terminated because it could not continue', () => {
  it('is followed by one that continues, and is degraded until it has changed weights', () => {
    const steps = [{ setWeight: 20 }, { pause: {} }, { setWeight: 40 }, { pause: {} }];
    const web = rollingOut({ updateStrategy: { type: 'Canary', canary: { steps } } });
    web.run();
    web.loseTemporal({ is: 'Stuck', message: 'Its workflow task failed 4 times.' });
    web.run();
    expect(web.last).toMatchObject({ do: 'Wait', for: 'Resume' });
    const degraded = () => web.status.conditions?.find(({ type }) => type === 'Degraded');
    expect(degraded()).toMatchObject({
      status: 'True',
      reason: 'WorkflowStuck',
      message: 'Its workflow task failed 4 times.',
    });
    expect(web.status.rollout?.paused).toBeUndefined();
    web.ask('promote');
    web.run();
    expect(web.status.canaryWeight).toBe(40);
    expect(degraded()).toMatchObject({ status: 'False' });
  });
});

describe('a lower version that is pinned while a lost run has left a rollout behind', () => {
  it('is rolled back to once, and stays', () => {
    const simulation = new Simulation();
    const add = (version: string, name: string): void => {
      simulation.provision(version, name);
      simulation.wake();
      simulation.run();
    };
    add('2.0.0', 'a');
    simulation.refusals = 1;
    add('2.1.0', 'b');
    simulation.isBlind = true;
    simulation.loseTemporal({ is: 'Unknown' });
    simulation.provision('1.0.0', 'c');
    simulation.edit((spec) => ({ ...spec, version: '1.0.0' }));
    simulation.isBlind = false;
    simulation.wake();
    simulation.pass(86_400_000);
    const moved = simulation.writes.filter(({ shift }) => shift.purpose === 'RollBack');
    expect(moved).toHaveLength(1);
    expect(weightsOf(simulation.served)).toEqual({ c: 100 });
    expect(simulation.status.stableVersion).toBe('1.0.0');
    expect(simulation.status.rollout).toBeUndefined();
  });
});

describe('a run that was lost, and a spec that is not valid any more', () => {
  const steps = [{ setWeight: 50 }, { pause: {} }];
  const MINUTE = 60_000;

  function rolling(): Simulation {
    const web = rollingOut({ updateStrategy: { type: 'Canary', canary: { steps } } });
    web.run();
    return web;
  }

  function lost(web: Simulation): Simulation {
    web.loseTemporal();
    web.problems = ['spec.x is bad.'];
    web.refusals = 0;
    web.pass(MINUTE);
    expect(weightsOf(web.served.filter(({ weight }) => weight > 0))).toEqual({ a: 100 });
    expect(web.status).toMatchObject({ phase: 'Failed', reason: 'InvalidSpec', stableVersion: '1.0.0' });
    expect(web.status.rollout).toBeUndefined();
    return web;
  }

  it('leave no rollout in the midst, as one that is alive does not', () => {
    const web = lost(rolling());
    expect(web.status.history?.[0]).toMatchObject({ version: '2.0.0', outcome: 'Withdrawn' });
    web.problems = [];
    web.freezes = [{ name: 'all', by: 'ops', reason: 'Friday.' }];
    web.wake();
    web.run();
    // It begins again, and so waits for what keeps rollouts from beginning.
    expect(web.last).toMatchObject({ do: 'Wait', for: 'Freeze' });
  });

  it('have taken back what was being taken back, and keep it blocked', () => {
    const web = rolling();
    web.ask('abort');
    web.refusals = 100;
    web.run();
    lost(web);
    expect(web.status.history?.[0]).toMatchObject({ version: '2.0.0', outcome: 'Reverted' });
    web.problems = [];
    web.wake();
    web.run();
    expect(web.settled).toMatchObject({ outcome: 'Reverted', reason: 'VersionBlocked' });
  });

  it('take it back as aborted when someone asks for that, so that it stays blocked', () => {
    const web = rolling();
    web.loseTemporal();
    web.problems = ['spec.x is bad.'];
    web.ask('abort');
    web.pass(MINUTE);
    expect(weightsOf(web.served.filter(({ weight }) => weight > 0))).toEqual({ a: 100 });
    web.problems = [];
    web.wake();
    web.pass(MINUTE);
    expect(web.settled).toMatchObject({ outcome: 'Reverted', reason: 'VersionBlocked' });
  });

  it('put right what ELBv2 was asked for and is not confirmed', () => {
    const web = rolling();
    web.ask('abort');
    web.lateRefusals = 1;
    web.run();
    web.lateRefusals = 0;
    lost(web);
    expect(web.isApplied).toBe(true);
  });

  it('put right what is served where no rollout was left', () => {
    const web = rolling();
    web.ask('promoteFull');
    web.run();
    const { served } = web;
    web.loseTemporal();
    web.problems = ['spec.x is bad.'];
    web.drift(served.map((one) => ({ ...one, weight: 50 })));
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toEqual(weightsOf(served));
    expect(web.status).toMatchObject({ phase: 'Failed', reason: 'InvalidSpec' });
  });

  it('write nothing where no rollout was left', () => {
    const web = rolling();
    web.ask('promoteFull');
    web.run();
    const writes = web.writes.length;
    web.loseTemporal();
    web.problems = ['spec.x is bad.'];
    web.provision('3.0.0', 'c');
    web.pass(MINUTE);
    expect(web.writes).toHaveLength(writes);
    expect(web.last).toMatchObject({ do: 'Close', outcome: 'Failed', reason: 'InvalidSpec' });
  });
});

describe('a rollout that is taken up with weight that it has', () => {
  const analysis = { templates: [{ templateName: 'rate' }] };

  function lost(steps: readonly CanaryStep[]): Simulation {
    const canary = { steps: [...steps] };
    const web = rollingOut({ settle: '10m', updateStrategy: { type: 'Canary', canary } });
    web.run();
    web.pass(1_000);
    web.loseTemporal();
    web.run();
    return web;
  }

  it('waits until the load balancer follows, as after a write of its own', () => {
    const web = lost([{ setWeight: 50 }, { analysis }]);
    expect(web.last).toMatchObject({ do: 'Wait', for: 'Settle' });
    web.pass(10 * 60_000 - 1);
    expect(web.runs.size).toBe(0);
    web.pass(1);
    expect(web.runs.size).toBe(1);
  });

  it('waits for nothing where it has none', () =>
    expect(lost([{ pause: {} }, { setWeight: 50 }]).last).toMatchObject({ do: 'Wait', for: 'Resume' }));
});
