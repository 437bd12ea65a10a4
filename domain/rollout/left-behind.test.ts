import { describe, expect, it } from 'vitest';
import type { CanaryStep } from '../../crds/cell.ts';
import { weightsOf } from '../testing/builders.ts';
import { stands } from '../testing/rolling-out.ts';
import { Simulation } from '../testing/simulation.ts';

const MINUTE = 60_000;
const freeze = { name: 'all', by: 'ops', reason: 'Friday.' };

/** 1.0.0 serves by a and c, and the run of 2.0.0 by b is lost at a pause. */
function left(Kind: typeof Simulation, ...steps: CanaryStep[]): Simulation {
  const simulation = new Kind({ updateStrategy: { type: 'Canary', canary: { steps } } });
  simulation.provision('1.0.0', 'a', 'c');
  simulation.run();
  simulation.provision('2.0.0', 'b');
  simulation.wake();
  simulation.pass(MINUTE);
  expect(simulation.status.reason).toBe('WaitingForResume');
  simulation.loseTemporal();
  return simulation;
}

const at = (weight: number): Simulation => left(Simulation, { setWeight: weight }, { pause: {} });
const atNothing = (): Simulation => left(Simulation, { pause: {} }, { setWeight: 20 });

function afterwards(simulation: Simulation): Record<string, number> {
  simulation.wake();
  simulation.pass(MINUTE);
  return weightsOf(simulation.served);
}

function remove(simulation: Simulation, ...gone: readonly string[]): void {
  simulation.groups = simulation.groups.filter(({ name }) => !gone.includes(name));
}

/** What 2.0.0 was to replace is gone, so that it serves alone, its run is lost once more, and a group of it waits for a Freeze. */
function leftAlone(weight: number): Simulation {
  const simulation = at(weight);
  simulation.run();
  remove(simulation, 'a', 'c');
  expect(afterwards(simulation)).toEqual({ b: 100 });
  simulation.loseTemporal();
  simulation.freezes = [freeze];
  simulation.provision('2.0.0', 'd');
  afterwards(simulation);
  return simulation;
}

function label(simulation: Simulation, name: string, version: string): void {
  simulation.groups = simulation.groups.map((one) => (one.name === name ? { ...one, version } : one));
}

function aborted(simulation: Simulation): readonly string[] {
  simulation.ask('abort');
  afterwards(simulation);
  return (simulation.status.blockedVersions ?? []).map(({ version }) => version);
}

describe('a version that a lost run was rolling out, and that others have joined for which there is no room', () => {
  it.each([[[]], [[freeze]]])('goes on with what it has, while what served loses a group (%j)', (freezes) => {
    const simulation = at(80);
    simulation.provision('2.0.0', 'd', 'e', 'f');
    simulation.freezes = freezes;
    expect(afterwards(simulation)).toEqual({ a: 10, c: 10, b: 80 });
    remove(simulation, 'c');
    expect(afterwards(simulation)).toEqual({ a: 20, b: 80 });
    simulation.freezes = [];
    simulation.ask('promote');
    afterwards(simulation);
    expect(stands(simulation)).toBe('Completed Serving 25');
  });

  it.each([
    ['something', at(20)],
    ['nothing', atNothing()],
  ])('is blocked when someone aborts it while it has %s', (_, simulation) => {
    simulation.provision('2.0.0', 'd', 'e', 'f');
    expect(aborted(simulation)).toEqual(['2.0.0']);
    expect(weightsOf(simulation.served)).toMatchObject({ a: 50, c: 50 });
  });
});

describe('weights of which nobody has rolled out a part', () => {
  it('stay while groups join for which there is no room', () => {
    const simulation = at(80);
    simulation.status = { ...simulation.status, rollout: undefined };
    simulation.provision('2.0.0', 'd', 'e', 'f');
    afterwards(simulation);
    remove(simulation, 'c');
    expect(afterwards(simulation)).toEqual({ a: 10, c: 10, b: 80 });
    const listener = { rule: { priority: 10, hosts: ['other.com'] } };
    simulation.edit(({ ingress, ...spec }) => {
      const { awsApplicationLoadBalancer: block } = ingress;
      if (block === undefined) throw new Error('Expected an Application Load Balancer, got none.');
      return { ...spec, ingress: { ...ingress, awsApplicationLoadBalancer: { ...block, listener } } };
    });
    expect(afterwards(simulation)).toEqual({ a: 10, c: 10, b: 80 });
    expect(simulation.route).toMatchObject({ listener: { rule: { hosts: ['other.com'] } } });
  });
});

describe('an abort of what a lost run was rolling out', () => {
  it('blocks that, and not a group of what served that claims another version', () => {
    const simulation = atNothing();
    label(simulation, 'a', '1.1.0');
    expect(aborted(simulation)).toEqual(['2.0.0']);
  });

  it('goes back to what serves beside it, though that claims a newer version', () => {
    const simulation = at(80);
    for (const name of ['a', 'c']) label(simulation, name, '3.0.0');
    expect(aborted(simulation)).toEqual(['2.0.0']);
    expect(weightsOf(simulation.served)).toMatchObject({ a: 50, c: 50 });
  });

  it.each([
    [
      'gives everything to an older version where what it has replaced is out of the rule',
      ['0.9.0', 'z'],
      { z: 100 },
    ],
    ['leaves everything where it is when there is nothing older', ['3.0.0', 'd'], { b: 100 }],
  ] as const)('%s', (_, [version, name], weights) => {
    const simulation = new Simulation({
      updateStrategy: { type: 'Canary', canary: { steps: [{ setWeight: 20 }, { pause: {} }] } },
    });
    simulation.provision('1.0.0', 'a');
    simulation.run();
    simulation.provision('2.0.0', 'b');
    afterwards(simulation);
    remove(simulation, 'a');
    expect(afterwards(simulation)).toEqual({ b: 100 });
    simulation.loseTemporal();
    simulation.freezes = [freeze];
    simulation.provision(version, name);
    expect(aborted(simulation)).toEqual(['2.0.0']);
    expect(weightsOf(simulation.served)).toMatchObject(weights);
  });

  it('blocks that, though the status has told that it serves since', () => {
    const simulation = leftAlone(80);
    expect(simulation.status).toMatchObject({ reason: 'WaitingForFreeze', stableVersion: '2.0.0' });
    expect(aborted(simulation)).toEqual(['2.0.0']);
    expect(weightsOf(simulation.served)).toEqual({ b: 100 });
  });

  /** The run, the configuration and the rule are lost at once. */
  function allGone(simulation: Simulation): Simulation {
    simulation.isKnown = false;
    simulation.listener.rules = [];
    return simulation;
  }

  it.each([
    ['valid', []],
    ['not valid', ['spec.x is bad.']],
  ])('blocks that, though the rule and its configuration are gone, and the spec is %s', (_, problems) => {
    const simulation = allGone(at(20));
    simulation.problems = problems;
    expect(aborted(simulation)).toEqual(['2.0.0']);
    expect(weightsOf(simulation.served)).toEqual({ a: 50, c: 50 });
    simulation.problems = [];
    afterwards(simulation);
    expect(simulation.settled).toMatchObject({ outcome: 'Reverted', reason: 'VersionBlocked' });
  });

  it('blocks that, though the rule was looked for before, and what served has lost its target groups', () => {
    const simulation = allGone(at(20));
    simulation.refusals = 3;
    simulation.run();
    remove(simulation, 'a', 'c');
    simulation.provision('0.9.0', 'z');
    expect(aborted(simulation)).toEqual(['2.0.0']);
    expect(weightsOf(simulation.served)).toEqual({ z: 100 });
  });

  it('gives everything to an older version where the status has told that it serves, and the rule is gone', () => {
    const simulation = leftAlone(20);
    expect(simulation.status.stableVersion).toBe('2.0.0');
    simulation.loseTemporal();
    simulation.provision('0.9.0', 'z');
    expect(aborted(allGone(simulation))).toEqual(['2.0.0']);
    expect(weightsOf(simulation.served)).toEqual({ z: 100 });
  });

  it.each([
    ['valid', []],
    ['not valid', ['spec.x is bad.']],
  ])('takes it out of a rule whose configuration is gone, where the spec is %s', (_, problems) => {
    const simulation = at(20);
    simulation.isKnown = false;
    simulation.problems = problems;
    expect(aborted(simulation)).toEqual(['2.0.0']);
    expect(weightsOf(simulation.served)).toMatchObject({ a: 50, c: 50 });
  });

  it('blocks that, though the status has told of something else since', () => {
    const simulation = atNothing();
    simulation.provision('0.9.0', 'z');
    simulation.provision('3.0.0', 'd');
    remove(simulation, 'a', 'c');
    simulation.refusals = 1;
    simulation.run();
    expect(simulation.status).toMatchObject({ reason: 'NoHealthyTargets', desiredVersion: '2.0.0' });
    expect(aborted(simulation)).toEqual(['2.0.0']);
    expect(weightsOf(simulation.served)).toMatchObject({ z: 100 });
  });
});

/** Someone aborts while a write is on its way, which an abort does not wait for. */
class AbortedMeanwhile extends Simulation {
  override attempt(...args: Parameters<Simulation['attempt']>): ReturnType<Simulation['attempt']> {
    const [decision, , { rollout }] = args;
    const isOfLeft = this.status.rollout !== undefined && rollout === undefined;
    if (decision.do === 'Shift' && isOfLeft) this.ask('abort');
    return super.attempt(...args);
  }
}

describe('an abort of what a lost run was rolling out, while a write takes it back', () => {
  it.each<[string, (simulation: Simulation) => void]>([
    ['that gives everything back', (simulation) => (simulation.problems = ['spec.x is bad.'])],
    [
      'that makes the rule again',
      (simulation) => ((simulation.isKnown = false), (simulation.listener.rules = [])),
    ],
  ])('blocks it, by one %s', (_, happens) => {
    const simulation = left(AbortedMeanwhile, { setWeight: 20 }, { pause: {} });
    happens(simulation);
    expect(afterwards(simulation)).toMatchObject({ a: 50, c: 50 });
    simulation.problems = [];
    afterwards(simulation);
    expect(simulation.settled).toMatchObject({ outcome: 'Reverted', reason: 'VersionBlocked' });
    expect(simulation.status.blockedVersions).toMatchObject([{ version: '2.0.0', cause: 'Aborted by ann.' }]);
  });

  it.each<[string, [string, string][], Record<string, number>]>([
    ['goes back to an older version', [['0.9.0', 'z']], { z: 100 }],
    ['leaves everything where it is when there is none', [], { b: 100 }],
  ])('%s, where that write has given everything to it', (_, others, weights) => {
    const simulation = left(AbortedMeanwhile, { setWeight: 20 }, { pause: {} });
    [simulation.isKnown, simulation.listener.rules] = [false, []];
    remove(simulation, 'a', 'c');
    for (const [version, name] of others) simulation.provision(version, name);
    expect(afterwards(simulation)).toMatchObject(weights);
    expect(simulation.status.blockedVersions).toMatchObject([{ version: '2.0.0', cause: 'Aborted by ann.' }]);
    expect(simulation.status.history?.[0]).toMatchObject({ outcome: 'Reverted', version: '2.0.0' });
  });
});

it('the history tells which version was taken back that a lost run has left, though that was refused at first', () => {
  const simulation = at(20);
  remove(simulation, 'b');
  simulation.refusals = 1;
  expect(afterwards(simulation)).toMatchObject({ a: 50, c: 50 });
  expect(simulation.status.history?.[0]).toMatchObject({ outcome: 'Withdrawn', version: '2.0.0' });
});
