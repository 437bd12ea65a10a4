import { describe, expect, it } from 'vitest';
import type { CanaryStep } from '../../crds/cell.ts';
import { aMinuteLater, rollingOut, stands } from '../testing/rolling-out.ts';
import { Simulation } from '../testing/simulation.ts';
import { arnOf, NO_TIME, weightsOf } from '../testing/builders.ts';
import { isInterrupted } from './record/attempt.ts';

const MINUTE = 60_000;

describe('a rollout whose run is lost is the same rollout', () => {
  const analysis = { templates: [{ templateName: 'rate' }] };
  const lostAt = (...steps: CanaryStep[]): Simulation => {
    const simulation = rollingOut({
      progressDeadline: '1h',
      updateStrategy: { type: 'Canary', canary: { steps } },
    });
    simulation.run();
    return simulation;
  };
  const lose = (simulation: Simulation): void => {
    simulation.loseTemporal();
    simulation.run();
  };

  it('with its id, its begin and its step, also where the weight says less', () => {
    const simulation = lostAt({ setWeight: 20 }, { pause: { duration: '1m' } }, { pause: {} });
    const before = simulation.status.rollout;
    simulation.pass(MINUTE);
    expect(simulation.status.currentStepIndex).toBe(2);
    lose(simulation);
    expect(simulation.status.currentStepIndex).toBe(2);
    expect(simulation.status.rollout).toMatchObject({ id: before?.id, startedAt: before?.startedAt });
  });

  it('and continues what it was measuring, by its name', () => {
    const simulation = lostAt({ setWeight: 20 }, { analysis });
    const runs = [...simulation.runs.keys()];
    expect(runs).toHaveLength(1);
    lose(simulation);
    expect([...simulation.runs.keys()]).toEqual(runs);
    expect(simulation.last).toMatchObject({ do: 'Wait', for: 'Analysis' });
  });

  it('at the step of its weight, where its steps were edited meanwhile, and it measures anew', () => {
    const simulation = lostAt({ setWeight: 20 }, { pause: { duration: '1m' } }, { analysis });
    simulation.pass(MINUTE);
    expect(simulation.runs.size).toBe(1);
    simulation.loseTemporal();
    simulation.edit((spec) => ({
      ...spec,
      updateStrategy: {
        type: 'Canary',
        canary: { steps: [{ setWeight: 10 }, { setWeight: 20 }, { analysis }, { analysis }] },
      },
    }));
    simulation.run();
    expect(simulation.status).toMatchObject({ currentStepIndex: 2, rollout: { edition: 1 } });
    expect(simulation.runs.size).toBe(2);
  });

  it('and takes nothing from a version that promoteFull has given everything', () => {
    const simulation = lostAt({ setWeight: 20 }, { pause: {} }, { setWeight: 40 }, { pause: {} });
    simulation.edit((spec) => ({ ...spec, settle: '5m' }));
    simulation.ask('promoteFull');
    simulation.run();
    expect(weightsOf(simulation.served)).toEqual({ a: 0, b: 100 });
    lose(simulation);
    simulation.ask('promote');
    simulation.pass(6 * MINUTE);
    expect(stands(simulation)).toBe('Completed Serving 100');
  });

  it('and its deadline does not count the time before, which may have been spent waiting', () => {
    const simulation = lostAt({ setWeight: 20 }, { pause: {} }, { setWeight: 50 });
    simulation.pass(120 * MINUTE);
    lose(simulation);
    expect(simulation.last).toMatchObject({ do: 'Wait', for: 'Resume' });
    simulation.ask('promote');
    simulation.run();
    expect(weightsOf(simulation.served)).toMatchObject({ b: 100 });
  });
});

const canary = (...steps: readonly object[]) =>
  ({ updateStrategy: { type: 'Canary', canary: { steps } } }) as ConstructorParameters<typeof Simulation>[0];
const terminated = { is: 'Terminated', by: 'ann', reason: 'stop it' } as const;

describe('an abort of a rollout at weight 0', () => {
  const blocked = ({ status }: Simulation): readonly string[] =>
    (status.blockedVersions ?? []).map(({ version }) => version);
  /** Waits at weight 0; its run may then be lost. */
  const waiting = (isLost: boolean): Simulation => {
    const simulation = rollingOut(canary({ pause: {} }, { setWeight: 50 }, { pause: {} }));
    simulation.run();
    if (isLost) simulation.loseTemporal(terminated);
    return simulation;
  };
  const abort = (simulation: Simulation): void => {
    simulation.ask('abort');
    simulation.run();
    simulation.pass(60_000);
  };

  describe.each([
    ['lives', false],
    ['was lost', true],
  ])('whose run %s', (_, isLost) => {
    it('blocks it, and not a newer version that has come meanwhile', () => {
      const simulation = waiting(isLost);
      simulation.provision('3.0.0', 'c');
      if (!isLost) simulation.wake();
      abort(simulation);
      expect(blocked(simulation)).toEqual(['2.0.0']);
      expect(simulation.status.desiredVersion).toBe('3.0.0');
    });

    it('blocks it though the Cell was pinned to what serves', () => {
      const simulation = waiting(isLost);
      simulation.edit((spec) => ({ ...spec, version: '1.0.0' }));
      abort(simulation);
      simulation.edit(({ version: _version, ...spec }) => spec);
      simulation.wake();
      simulation.run();
      expect([blocked(simulation), weightsOf(simulation.served)['b'] ?? 0]).toEqual([['2.0.0'], 0]);
    });

    it('blocks it though its target groups are gone for a while', () => {
      const simulation = waiting(isLost);
      const { groups } = simulation;
      simulation.groups = groups.filter(({ name }) => name !== 'b');
      simulation.wake();
      abort(simulation);
      simulation.groups = groups;
      simulation.wake();
      simulation.run();
      expect([blocked(simulation), simulation.status.phase]).toEqual([['2.0.0'], 'Reverted']);
    });

    it('blocks it though the spec is not valid for a while', () => {
      const simulation = waiting(isLost);
      simulation.problems = ['spec.replicas is not valid'];
      abort(simulation);
      simulation.problems = [];
      simulation.wake();
      simulation.run();
      expect([blocked(simulation), weightsOf(simulation.served)['b'] ?? 0]).toEqual([['2.0.0'], 0]);
    });
  });
});

/** Has 2.0.0 wait at half of the weight. */
function atHalf<Kind extends Simulation>(simulation: Kind): Kind {
  simulation.provision('1.0.0', 'a');
  simulation.run();
  simulation.provision('2.0.0', 'b');
  simulation.wake();
  simulation.run();
  return simulation;
}
const toHalf = canary({ setWeight: 50 }, { pause: {} });

/** As a workflow has it: what is interrupted from its beginning is not done at all. */
class Interrupting extends Simulation {
  override attempt(...args: Parameters<Simulation['attempt']>): ReturnType<Simulation['attempt']> {
    const [decision, observed, state] = args;
    const run = { state, observed, observedAt: this.now, changes: 1, seenChanges: 1 };
    return isInterrupted(decision, run) ? { is: 'Interrupted' } : super.attempt(...args);
  }
}

describe('a rollout whose workflow was terminated', () => {
  const leftAtHalf = (): Interrupting => {
    const simulation = atHalf(new Interrupting(toHalf));
    simulation.loseTemporal(terminated);
    return simulation;
  };

  it('ends when it is taken back, and takes out what it has left', () => {
    const simulation = leftAtHalf();
    simulation.edit((spec) => ({ ...spec, version: '1.0.0' }));
    simulation.run();
    simulation.pass(11 * 60_000);
    expect(simulation.status.phase).toBe('Completed');
    expect(simulation.served.map(({ name, weight }) => [name, weight])).toEqual([['a', 100]]);
  });

  it('leaves the next rollout no pause when it was taken back', () => {
    const simulation = leftAtHalf();
    simulation.edit((spec) => ({ ...spec, version: '1.0.0' }));
    simulation.run();
    simulation.provision('3.0.0', 'c');
    simulation.edit(({ version: _version, ...spec }) => spec);
    simulation.wake();
    simulation.run();
    const { desiredVersion, rollout } = simulation.status;
    expect([desiredVersion, rollout?.paused]).toEqual(['3.0.0', undefined]);
  });

  it('is taken up though the configuration was deleted meanwhile', () => {
    const simulation = leftAtHalf();
    simulation.isKnown = false;
    simulation.run();
    expect(weightsOf(simulation.served)).toMatchObject({ a: 50, b: 50 });
    expect(simulation.state.rollout).toMatchObject({ canary: { version: '2.0.0' } });
  });
});

const stamp = { by: 'ann', reason: '', time: NO_TIME };
const ending = { kind: 'Failed', reason: 'Aborted', message: '', time: NO_TIME } as const;

it.each([{ startedAt: NO_TIME }, { stepStartedAt: NO_TIME }, { paused: stamp }, { ending }])(
  'a rollout is continued although its status has a time that is none (%j)',
  (forged) => {
    const simulation = atHalf(new Simulation(toHalf));
    const { rollout } = simulation.status;
    if (rollout === undefined) throw new Error('Expected a rollout.');
    simulation.status = { ...simulation.status, rollout: { ...rollout, ...forged } };
    simulation.loseTemporal();
    simulation.run();
    expect(weightsOf(simulation.served)).toMatchObject('ending' in forged ? { a: 100 } : { a: 50, b: 50 });
    expect(simulation.status.rollout?.id).toBe('ending' in forged ? undefined : rollout.id);
  },
);

it('a paused rollout moves weight off a dead target group, and is not interrupted by its pause', () => {
  const simulation = new Interrupting(canary({ setWeight: 40 }, { pause: {} }));
  simulation.provision('1.0.0', 'a', 'b');
  simulation.run();
  simulation.provision('2.0.0', 'c');
  simulation.wake();
  simulation.run();
  simulation.ask('pause');
  simulation.unhealthy.add(arnOf('b'));
  simulation.lookForHealth();
  simulation.pass(MINUTE);
  expect(weightsOf(simulation.served)).toEqual({ a: 60, b: 0, c: 40 });
});

describe('a rollout to a lower version, whose run is lost', () => {
  /** 2.0.0 has served for longer than the rollback window, its targets are not healthy, and 1.0.0 has 20 of its weight. */
  const goingDown = (): Simulation => {
    const simulation = rollingOut({
      settle: '0s',
      updateStrategy: {
        type: 'Canary',
        rollbackWindow: { duration: '1h' },
        bake: { duration: '1h' },
        canary: { steps: [{ setWeight: 20 }, { pause: {} }] },
      },
    });
    simulation.pass(60_000);
    simulation.ask('promote');
    simulation.pass(10 * 3_600_000);
    simulation.unhealthy.add(arnOf('b'));
    simulation.edit((spec) => ({ ...spec, version: '1.0.0' }));
    simulation.wake();
    simulation.pass(60_000);
    expect(weightsOf(simulation.served)).toEqual({ a: 20, b: 80 });
    return simulation;
  };

  it('takes the steps when the history has no time', () => {
    const simulation = rollingOut({
      updateStrategy: {
        type: 'Canary',
        rollbackWindow: { duration: '1h' },
        canary: { steps: [{ setWeight: 20 }, { pause: {} }] },
      },
    });
    simulation.pass(MINUTE);
    simulation.ask('promote');
    simulation.pass(MINUTE);
    const [change] = simulation.status.history ?? [];
    if (change === undefined) throw new Error('Expected a history.');
    simulation.status = { ...simulation.status, history: [{ ...change, endedAt: NO_TIME }] };
    simulation.edit((spec) => ({ ...spec, version: '1.0.0' }));
    aMinuteLater(simulation);
    expect(weightsOf(simulation.served)).toEqual({ a: 20, b: 80 });
  });

  it('continues at the whole weight, and gives nothing back to what is being left', () => {
    const simulation = goingDown();
    simulation.ask('promote');
    simulation.pass(60_000);
    const { length } = simulation.writes;
    simulation.loseTemporal();
    simulation.run();
    expect(simulation.writes.slice(length)).toEqual([]);
    expect(weightsOf(simulation.served)).toEqual({ a: 100, b: 0 });
  });

  it('is held at its weight when it was terminated', () => {
    const simulation = goingDown();
    simulation.loseTemporal(terminated);
    simulation.pass(60_000);
    expect(simulation.status.message).toContain('Paused by Temporal');
    expect(weightsOf(simulation.served)).toEqual({ a: 20, b: 80 });
  });
});

/** Someone has deleted the configuration, and the API server refuses to let it go. */
class Held extends Simulation {
  isConfigDeleted = false;
  override seen(): ReturnType<Simulation['seen']> {
    const seen = super.seen();
    const deletion = { policy: 'Delete', isHeld: true, isUnderWay: true } as const;
    const { observedForwarding: _observed, desired: _desired, ...rest } = seen;
    return this.isConfigDeleted ? { ...rest, weighted: [], isApplied: true, deletion } : seen;
  }
  override attempt(...args: Parameters<Simulation['attempt']>): ReturnType<Simulation['attempt']> {
    if (args[0].do !== 'Release') return super.attempt(...args);
    return {
      is: 'Refused',
      refusal: { reason: 'InvalidObject', message: 'A webhook refuses it.', permanent: true },
    };
  }
}

it('an abort does not wait for a deleted configuration that cannot be let go, until everything is back', () => {
  const simulation = atHalf(new Held(toHalf));
  simulation.isConfigDeleted = true;
  simulation.wake();
  simulation.run();
  simulation.ask('abort');
  simulation.run();
  expect(weightsOf(simulation.served)).toMatchObject({ a: 100, b: 0 });
});

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
  it.each([[[]], [[freeze]]])(
    'continues with what it has, while what served loses a group (%j)',
    (freezes) => {
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
    },
  );

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

  it('blocks that, though what it was to replace has lost its target groups', () => {
    const simulation = atNothing();
    simulation.provision('0.9.0', 'z');
    remove(simulation, 'a', 'c');
    simulation.pass(10_000);
    expect(aborted(simulation)).toEqual(['2.0.0']);
    expect(weightsOf(simulation.served)).toMatchObject({ z: 100 });
  });
});

/** Someone aborts while a write is on its way, which an abort does not wait for. */
class AbortedMeanwhile extends Simulation {
  override attempt(...args: Parameters<Simulation['attempt']>): ReturnType<Simulation['attempt']> {
    const [decision, , { rollout }] = args;
    if (decision.do === 'Shift' && rollout?.ending?.kind === 'Withdrawn') this.ask('abort');
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

  it('goes back to an older version, where what served is gone', () => {
    const simulation = left(AbortedMeanwhile, { setWeight: 20 }, { pause: {} });
    [simulation.isKnown, simulation.listener.rules] = [false, []];
    remove(simulation, 'a', 'c');
    simulation.provision('0.9.0', 'z');
    expect(afterwards(simulation)).toMatchObject({ z: 100 });
    expect(simulation.status.blockedVersions).toMatchObject([{ version: '2.0.0', cause: 'Aborted by ann.' }]);
    expect(simulation.status.history?.[1]).toMatchObject({ outcome: 'Reverted', version: '2.0.0' });
  });
});

it('the history tells which version was taken back that a lost run has left, though that was refused at first', () => {
  const simulation = at(20);
  remove(simulation, 'b');
  simulation.refusals = 1;
  expect(afterwards(simulation)).toMatchObject({ a: 50, c: 50 });
  expect(simulation.status.history?.[0]).toMatchObject({ outcome: 'Withdrawn', version: '2.0.0' });
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
    const moved = simulation.writes.filter(({ shift }) => shift.purpose === 'RollingBack');
    expect(moved).toHaveLength(1);
    expect(weightsOf(simulation.served)).toEqual({ c: 100 });
    expect(simulation.status.stableVersion).toBe('1.0.0');
    expect(simulation.status.rollout).toBeUndefined();
  });
});

describe('a run that was lost, and a spec that is not valid any more', () => {
  const steps = [{ setWeight: 50 }, { pause: {} }];

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
    const planned = { steps: [...steps] };
    const web = rollingOut({ settle: '10m', updateStrategy: { type: 'Canary', canary: planned } });
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
