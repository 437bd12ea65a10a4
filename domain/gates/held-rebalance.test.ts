import { describe, expect, it } from 'vitest';
import { weightsOf } from '../testing/builders.ts';
import { rollingOut } from '../testing/rolling-out.ts';
import type { Simulation } from '../testing/simulation.ts';

const freeze = { name: 'all', by: 'ops', reason: 'Friday.' };

/** 2.0.0 serves by these groups, a of 1.0.0 has been at weight 0 for a minute, and a Freeze holds. */
function serving(detachAfter: string, ...names: string[]): Simulation {
  const simulation = rollingOut({
    settle: '0s',
    updateStrategy: { type: 'Canary', detachAfter, canary: { steps: [{ setWeight: 20 }] } },
  });
  simulation.provision('2.0.0', ...names);
  simulation.pass(2 * 60_000);
  simulation.freezes = [freeze];
  return simulation;
}

function afterwards(simulation: Simulation): Readonly<Record<string, number>> {
  simulation.wake();
  simulation.pass(60_000);
  return weightsOf(simulation.served);
}

describe('what serves, while a Freeze lasts', () => {
  const without = (simulation: Simulation, ...gone: string[]): void => {
    simulation.groups = simulation.groups.filter(({ name }) => !gone.includes(name));
  };

  it('loses a group that only leaves, though one of the version before is in the rule at weight 0', () => {
    const simulation = serving('10m', 'b', 'c');
    without(simulation, 'c');
    expect(afterwards(simulation)).toEqual({ a: 0, b: 100 });
  });

  it('loses a group that leaves, and gets none that joins in its place', () => {
    const simulation = serving('0s', 'b', 'c');
    without(simulation, 'c');
    simulation.provision('2.0.0', 'd');
    expect(afterwards(simulation)).toEqual({ b: 100 });
  });

  it('gets no group that joins by its label, and is in the rule at weight 0 already', () => {
    const simulation = serving('24h', 'b', 'c', 'd');
    without(simulation, 'a', 'c', 'd');
    simulation.provision('2.0.0', 'a');
    const { a = 0, b } = afterwards(simulation);
    expect([a, b]).toEqual([0, 100]);
    simulation.freezes = [];
    expect(afterwards(simulation)).toMatchObject({ a: 50, b: 50 });
  });
});
