import { describe, expect, it } from 'vitest';
import type { CellSpec, CellStatus } from '../../../crds/cell.ts';
import { notAsSeen } from '../../model/seen.ts';
import { Simulation } from '../../testing/simulation.ts';

const MINUTE = 60_000;
type Strategy = NonNullable<CellSpec['updateStrategy']>;

/** A rollout of 2.0.0 that has just begun, and when it did. */
function rollOut(updateStrategy: Strategy, spec: Partial<CellSpec> = {}) {
  const simulation = new Simulation({ updateStrategy, ...spec });
  simulation.provision('1.0.0', 'a');
  simulation.pass(MINUTE);
  simulation.provision('2.0.0', 'b');
  simulation.wake();
  const began = simulation.now;
  simulation.pass(MINUTE);
  /** The times of the current step in minutes since the rollout began. */
  const times = (): { since?: number; ends?: number } => {
    const { stepStartedAt, stepEndsAt } = simulation.status.rollout ?? {};
    const minutes = (time: string): number => Math.floor((Date.parse(time) - began) / MINUTE);
    return {
      ...(stepStartedAt === undefined ? {} : { since: minutes(stepStartedAt) }),
      ...(stepEndsAt === undefined ? {} : { ends: minutes(stepEndsAt) }),
    };
  };
  return { simulation, times };
}

const canary = (...steps: NonNullable<Strategy['canary']>['steps'] & object): Strategy => ({
  type: 'Canary',
  canary: { steps },
});
const paused = canary({ setWeight: 20 }, { pause: { duration: '10m' } }, { setWeight: 50 }, { pause: {} });

describe('the status of a rollout', () => {
  it('says since when its step is under way, and when the pause of it is over', () => {
    const { simulation, times } = rollOut(paused);
    expect(times()).toEqual({ since: 0, ends: 10 });
    simulation.pass(8 * MINUTE);
    expect(times()).toEqual({ since: 0, ends: 10 });
    simulation.pass(5 * MINUTE);
    expect(times()).toEqual({ since: 10 });
    expect(simulation.status.currentStepIndex).toBe(3);
  });

  it('counts the step under way from 1, as a request does, and has none without a rollout', () => {
    const { simulation } = rollOut({ ...paused, bake: { duration: '1h' } });
    const stands = () => [simulation.status.step, simulation.status.currentStepIndex];
    const asSeen = (step: number) => notAsSeen(simulation.state, 'promote', { step }) === undefined;
    expect(stands()).toEqual(['2/4', 1]);
    expect([asSeen(1), asSeen(2), asSeen(3)]).toEqual([false, true, false]);
    simulation.pass(10 * MINUTE);
    expect(stands()).toEqual(['4/4', 3]);
    simulation.ask('resume');
    simulation.pass(MINUTE);
    expect(stands()).toEqual(['done', 4]);
    expect(notAsSeen(simulation.state, 'promote', { step: 4 })).toBe(
      'The request is for step 4 of 2.0.0, and the rollout is at the end of the steps of 2.0.0. Check it, and send promote again.',
    );
    simulation.pass(61 * MINUTE);
    expect(simulation.status.phase).toBe('Completed');
    expect(stands()).toEqual([undefined, 4]);
  });

  it('has no step after an install, which takes none', () => {
    const simulation = new Simulation({ updateStrategy: paused });
    simulation.provision('1.0.0', 'a');
    simulation.pass(MINUTE);
    expect(simulation.status.phase).toBe('Completed');
    expect(simulation.status.step).toBeUndefined();
  });

  it('says the same while someone has paused it', () => {
    const { simulation, times } = rollOut(paused);
    simulation.ask('pause');
    simulation.pass(30 * MINUTE);
    expect(times()).toEqual({ since: 0, ends: 10 });
    simulation.ask('resume');
    simulation.pass(MINUTE);
    expect(times()).toEqual({ since: 31 });
  });

  it('begins with the step again when the steps are edited, and not when something else is', () => {
    const { simulation, times } = rollOut(paused);
    simulation.edit((spec) => ({ ...spec, healthTimeout: '20m' }));
    simulation.wake();
    simulation.pass(MINUTE);
    expect(times()).toEqual({ since: 0, ends: 10 });
    const edited = canary({ setWeight: 20 }, { pause: { duration: '30m' } });
    simulation.edit((spec) => ({ ...spec, updateStrategy: edited }));
    simulation.wake();
    simulation.pass(MINUTE);
    expect(times()).toEqual({ since: 2, ends: 32 });
  });

  it('says when its bake is over', () => {
    const { times } = rollOut({ ...canary({ setWeight: 50 }), bake: { duration: '1h' } });
    expect(times()).toEqual({ since: 0, ends: 60 });
  });

  it('has no end to tell of a step that is being taken back', () => {
    const { simulation, times } = rollOut(paused);
    simulation.refusals = 3;
    simulation.ask('abort');
    simulation.run();
    expect(simulation.status.rollout?.ending).toBeDefined();
    expect(times()).toEqual({ since: 0 });
  });

  it('is written no more often than what else it says changes', () => {
    const { simulation } = rollOut(paused);
    const statuses = new Set<CellStatus>();
    for (let minute = 0; minute < 30; minute += 1) {
      simulation.wake();
      simulation.pass(MINUTE);
      statuses.add(simulation.status);
    }
    const without = [...statuses].map(({ rollout, ...status }) => {
      const { stepStartedAt: _since, stepEndsAt: _end, ...rest } = rollout ?? {};
      return JSON.stringify({ ...status, rollout: rest });
    });
    const changes = (all: readonly unknown[]) => all.filter((one, at) => one !== all[at - 1]).length;
    expect(changes([...statuses].map((status) => JSON.stringify(status)))).toBe(changes(without));
  });
});
