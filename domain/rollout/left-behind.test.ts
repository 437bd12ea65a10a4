import { describe, expect, it } from 'vitest';
import type { CanaryStep } from '../../crds/cell.ts';
import { weightsOf } from '../testing/builders.ts';
import { stands } from '../testing/rolling-out.ts';
import { Simulation } from '../testing/simulation.ts';

const MINUTE = 60_000;
const freeze = { name: 'all', by: 'ops', reason: 'Friday.' };

/** 1.0.0 serves by a and c, and the run of 2.0.0 by b is lost at a pause. */
function left(...steps: CanaryStep[]): Simulation {
  const simulation = new Simulation({ updateStrategy: { type: 'Canary', canary: { steps } } });
  simulation.provision('1.0.0', 'a', 'c');
  simulation.run();
  simulation.provision('2.0.0', 'b');
  simulation.wake();
  simulation.pass(MINUTE);
  expect(simulation.status.reason).toBe('WaitingForResume');
  simulation.loseTemporal();
  return simulation;
}

const at = (weight: number): Simulation => left({ setWeight: weight }, { pause: {} });

function afterwards(simulation: Simulation): Record<string, number> {
  simulation.wake();
  simulation.pass(MINUTE);
  return weightsOf(simulation.served);
}

function remove(simulation: Simulation, ...gone: readonly string[]): void {
  simulation.groups = simulation.groups.filter(({ name }) => !gone.includes(name));
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
});

describe('weights of which nobody has rolled out a part', () => {
  it('stay while groups join for which there is no room', () => {
    const simulation = at(80);
    simulation.status = { ...simulation.status, rollout: undefined };
    simulation.provision('2.0.0', 'd', 'e', 'f');
    afterwards(simulation);
    remove(simulation, 'c');
    expect(afterwards(simulation)).toEqual({ a: 10, c: 10, b: 80 });
  });
});
