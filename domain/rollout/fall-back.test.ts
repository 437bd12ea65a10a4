import { describe, expect, it } from 'vitest';
import type { CanaryStep } from '../../crds/cell.ts';
import { arnOf, weightsOf } from '../testing/builders.ts';
import { rollingOut, stands } from '../testing/rolling-out.ts';
import { Simulation } from '../testing/simulation.ts';
import { statusOf } from './report/status.ts';

const MINUTE = 60_000;

/** 1.0.0 serves by a; b of 2.0.0 rolls out, as far as it does in half an hour; z of 0.9.0 is there too. */
function rolling(steps: CanaryStep[], bake?: string): Simulation {
  const baking = bake === undefined ? {} : { bake: { duration: bake } };
  const simulation = rollingOut({
    settle: '0s',
    updateStrategy: { type: 'Canary', canary: { steps }, ...baking },
  });
  simulation.provision('0.9.0', 'z');
  simulation.wake();
  simulation.pass(30 * MINUTE);
  return simulation;
}

const without = (simulation: Simulation, gone: string): void => {
  simulation.groups = simulation.groups.filter(({ name }) => name !== gone);
  simulation.wake();
};

describe('what serves, of which nobody knows the version', () => {
  /** The status and all AWSTargetGroups are gone, and the first of two of 2.0.0 is there. */
  function unknown(version?: string): Simulation {
    const simulation = rollingOut({ settle: '0s', replicas: 2 });
    simulation.provision('1.0.0', 'a', 'c');
    simulation.wake();
    simulation.pass(MINUTE);
    expect(weightsOf(simulation.served)).toMatchObject({ a: 50, c: 50 });
    simulation.status = {};
    simulation.groups = [];
    simulation.provision('2.0.0', 'b');
    if (version !== undefined) {
      simulation.provision('3.0.0', 'd', 'e');
      simulation.edit((spec) => ({ ...spec, version }));
    }
    simulation.wake();
    simulation.pass(MINUTE);
    return simulation;
  }

  it('is not given up for a version that is not complete', () => {
    const simulation = unknown();
    expect(weightsOf(simulation.served)).toEqual({ a: 50, c: 50 });
    simulation.provision('2.0.0', 'd');
    simulation.wake();
    simulation.pass(MINUTE);
    expect(weightsOf(simulation.served)).toEqual({ b: 50, d: 50 });
  });

  it('keeps everything until what takes its place is healthy', () => {
    const simulation = unknown();
    for (const name of ['b', 'd']) simulation.unhealthy.add(arnOf(name));
    simulation.provision('2.0.0', 'd');
    simulation.wake();
    simulation.pass(MINUTE);
    expect(weightsOf(simulation.served)).toEqual({ a: 50, b: 0, c: 50, d: 0 });
    expect(`${simulation.status.phase} ${simulation.status.reason}`).toBe('Progressing WaitingForHealth');
    simulation.unhealthy.clear();
    simulation.pass(MINUTE);
    expect(weightsOf(simulation.served)).toEqual({ b: 50, d: 50 });
    expect(simulation.status.history?.[0]).toMatchObject({ outcome: 'Completed', version: '2.0.0' });
  });

  it('keeps everything during a Freeze', () => {
    const simulation = unknown();
    simulation.freezes = [{ name: 'all', by: 'ops', reason: 'Friday.' }];
    simulation.provision('2.0.0', 'd');
    simulation.wake();
    simulation.pass(MINUTE);
    expect(weightsOf(simulation.served)).toEqual({ a: 50, c: 50 });
    expect(simulation.status.reason).toBe('WaitingForFreeze');
  });

  it('keeps everything where a rule has no room for both', () => {
    const simulation = unknown();
    simulation.provision('2.0.0', 'd', 'e', 'f');
    simulation.wake();
    simulation.run();
    expect(weightsOf(simulation.served)).toEqual({ a: 50, c: 50 });
    expect(simulation.status.reason).toBe('TooManyTargetGroups');
  });

  it('is not given up for another version than spec.version', () => {
    expect(weightsOf(unknown('2.0.0').served)).toEqual({ a: 50, c: 50 });
  });
});

describe('what serves by target groups of someone else, beside the version that takes their place', () => {
  const freeze = { name: 'all', by: 'ops', reason: 'Friday.' };

  /** The rule is taken over as it is. */
  function takenOver(
    weights: Readonly<Record<string, number>>,
    given: (simulation: Simulation) => void,
  ): Simulation {
    const steps: CanaryStep[] = [{ setWeight: 80 }, { pause: {} }];
    const simulation = new Simulation({
      settle: '0s',
      updateStrategy: { type: 'Canary', canary: { steps } },
    });
    simulation.served = Object.entries(weights).map(([name, weight]) => ({ name, arn: arnOf(name), weight }));
    simulation.isKnown = false;
    given(simulation);
    simulation.run();
    return simulation;
  }

  /** 1.0.0 rolls out in the place of x, and 0.9.0 is there too. */
  function rollingOutInPlace(): Simulation {
    const simulation = takenOver({ x: 40, a: 60 }, (one) => {
      one.provision('1.0.0', 'a');
      one.provision('0.9.0', 'z');
    });
    expect(weightsOf(simulation.served)).toEqual({ a: 80, x: 20 });
    expect(simulation.status).toMatchObject({ reason: 'WaitingForResume', stableVersion: '0.0.0-unknown' });
    return simulation;
  }

  it('continues with the steps when the run is lost', () => {
    const simulation = rollingOutInPlace();
    simulation.loseTemporal();
    simulation.pass(MINUTE);
    expect(weightsOf(simulation.served)).toEqual({ a: 80, x: 20 });
    expect(simulation.status.reason).toBe('WaitingForResume');
  });

  it('gets everything back when the version is aborted in place of a lost run, also during a Freeze', () => {
    const simulation = rollingOutInPlace();
    simulation.freezes = [freeze];
    simulation.loseTemporal();
    simulation.pass(MINUTE);
    simulation.ask('abort');
    simulation.pass(MINUTE);
    expect(weightsOf(simulation.served)).toMatchObject({ a: 0, x: 100 });
    expect(simulation.status.blockedVersions).toMatchObject([{ version: '1.0.0' }]);
  });

  it('gets everything back when the run was lost while it took the version back, also during a Freeze', () => {
    const simulation = rollingOutInPlace();
    simulation.freezes = [freeze];
    simulation.refusals = 1;
    simulation.ask('abort');
    simulation.run();
    expect(simulation.status.rollout?.ending).toMatchObject({ reason: 'Aborted' });
    simulation.loseTemporal();
    simulation.pass(MINUTE);
    expect(weightsOf(simulation.served)).toMatchObject({ a: 0, x: 100 });
  });

  it('is never more than a rule has room for, with what else serves', () => {
    const simulation = takenOver({ x: 40, y: 20, a: 20, b: 20 }, (one) => {
      one.provision('1.0.0', 'a', 'b');
      one.provision('2.0.0', 'c', 'd');
    });
    expect(simulation.writes.every(({ shift }) => shift.shares.length <= 5)).toBe(true);
    expect(simulation.status).toMatchObject({ reason: 'WaitingForResume', desiredVersion: '2.0.0' });
    expect(weightsOf(simulation.served)).toEqual({ c: 40, d: 40, x: 10, y: 10 });
  });
});

describe('a Cell that is created again during its rollout', () => {
  it('still knows the version that serves when that is gone by then', () => {
    const steps: CanaryStep[] = [{ setWeight: 20 }, { pause: {} }];
    const web = rollingOut({ settle: '0s', updateStrategy: { type: 'Canary', canary: { steps } } });
    web.run();
    web.status = {};
    web.groups = web.groups.filter(({ name }) => name !== 'a');
    const { state, now, last: decision } = web;
    const observed = web.seen();
    const { cell } = observed;
    if (cell === undefined) throw new Error('Expected a Cell, got none.');
    const workflow = { workflowId: 'cell/default/web', runId: 'run-1' };
    const { targetGroups } = statusOf({ observed, cell, state, decision, workflow, now });
    expect(targetGroups).toMatchObject([
      { name: 'a', version: '1.0.0', weight: 80 },
      { name: 'b', version: '2.0.0', weight: 20 },
    ]);
  });
});

describe('a version that is gone, beside older ones', () => {
  it('gives way to a newer one by its steps when none of the older ones fits into the rule', () => {
    const simulation = rolling([{ setWeight: 20 }]);
    expect(stands(simulation)).toBe('Completed Serving 100');
    simulation.groups = [];
    simulation.provision('1.0.0', 'a', 'q', 'r', 's', 't', 'u');
    simulation.provision('3.0.0', 'x');
    simulation.wake();
    simulation.pass(30 * MINUTE);
    expect(weightsOf(simulation.served)).toMatchObject({ x: 100 });
  });

  it('leaves everything with the newer one that had it when the run was lost', () => {
    const simulation = rolling([{ setWeight: 20 }], '5h');
    expect(stands(simulation)).toBe('Progressing WaitingForBake 100');
    simulation.loseTemporal();
    without(simulation, 'a');
    simulation.pass(MINUTE);
    expect(stands(simulation)).toBe('Progressing WaitingForBake 100');
    expect(simulation.status.history?.[0]).toMatchObject({ outcome: 'Installed' });
  });

  it.each([
    ['carries nothing', [{ pause: {} }, { setWeight: 20 }], 0],
    ['carries something', [{ setWeight: 20 }, { pause: {} }], 20],
  ])('keeps the abort of a newer one that %s when the run was lost', (_, steps, weight) => {
    const simulation = rolling(steps);
    expect(stands(simulation)).toBe(`Paused WaitingForResume ${weight}`);
    simulation.loseTemporal();
    without(simulation, 'a');
    simulation.ask('abort');
    simulation.pass(MINUTE);
    expect(weightsOf(simulation.served)).toMatchObject({ z: 100 });
    expect(stands(simulation)).toBe('Reverted VersionBlocked 0');
  });

  it.each([1, 2])('keeps the abort of one that is gone as well (%i wanted)', (replicas) => {
    const simulation = rolling([{ pause: {} }, { setWeight: 20 }]);
    const { groups } = simulation;
    simulation.loseTemporal();
    simulation.edit((spec) => ({ ...spec, replicas }));
    without(simulation, 'a');
    without(simulation, 'b');
    simulation.ask('abort');
    simulation.pass(MINUTE);
    expect(weightsOf(simulation.served)).toMatchObject({ z: 100 });
    simulation.groups = groups.filter(({ name }) => name !== 'a');
    simulation.edit((spec) => ({ ...spec, replicas: 1 }));
    simulation.wake();
    simulation.pass(MINUTE);
    expect(stands(simulation)).toBe('Reverted VersionBlocked 0');
  });
});
