import { describe, expect, it } from 'vitest';
import { rollingOut } from '../testing/rolling-out.ts';
import { Simulation } from '../testing/simulation.ts';
import { arnOf, weightsOf } from '../testing/builders.ts';
import { isInterrupted } from './attempt.ts';

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
  const left = (): Interrupting => {
    const simulation = atHalf(new Interrupting(toHalf));
    simulation.loseTemporal(terminated);
    return simulation;
  };

  it('ends when it is taken back, and takes out what it has left', () => {
    const simulation = left();
    simulation.edit((spec) => ({ ...spec, version: '1.0.0' }));
    simulation.run();
    simulation.pass(11 * 60_000);
    expect(simulation.status.phase).toBe('Completed');
    expect(simulation.served.map(({ name, weight }) => [name, weight])).toEqual([['a', 100]]);
  });

  it('leaves the next rollout no pause when it was taken back', () => {
    const simulation = left();
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
    const simulation = left();
    simulation.isKnown = false;
    simulation.run();
    expect(weightsOf(simulation.served)).toMatchObject({ a: 50, b: 50 });
    expect(simulation.state.rollout).toMatchObject({ canary: { version: '2.0.0' } });
  });
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

  it('goes on at the whole weight, and gives nothing back to what is being left', () => {
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
