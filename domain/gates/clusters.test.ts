import { describe, expect, it } from 'vitest';
import type { CellSpec } from '../../crds/cell.ts';
import { asked, rollingOut, stands } from '../testing/rolling-out.ts';
import type { Simulation } from '../testing/simulation.ts';
import { unreadyClusters } from './gate.ts';

const MINUTE = 60_000;
const steps = [{ setWeight: 20 }, { pause: { duration: '2m' } }, { setWeight: 60 }, { setWeight: 80 }];

/** A rollout at 20, one of whose clusters is not ready any more. */
function held(more: Partial<CellSpec> = {}): Simulation {
  const updateStrategy = { type: 'Canary' as const, canary: { steps } };
  const simulation = rollingOut({ settle: '1s', updateStrategy, ...more });
  simulation.pass(MINUTE / 2);
  simulation.unready = ['web-v2'];
  simulation.wake();
  simulation.pass(2 * MINUTE);
  return simulation;
}

function ready(simulation: Simulation): Simulation {
  simulation.unready = [];
  simulation.wake();
  simulation.pass(MINUTE);
  return simulation;
}

describe('a cluster that is not ready, of the Cell with applications that a Cell moves traffic for', () => {
  it('holds the traffic where it is, and lets it continue when it is ready', () => {
    const simulation = held();
    expect(stands(simulation)).toBe('Paused WaitingForClusters 20');
    expect(simulation.status.message).toBe(
      'Waiting for web-v2 of Cell shop to be ready. Next: Setting the weight of 2.0.0 to 60.',
    );
    expect(stands(ready(simulation))).toBe('Completed Serving 100');
  });

  it.each(['resume', 'promote', 'promoteFull', 'retry'] as const)('is not passed by %s', (request) => {
    const simulation = held();
    expect(asked(simulation, request)).toBe('Paused WaitingForClusters 20');
    expect(stands(ready(simulation))).toBe('Completed Serving 100');
  });

  it('does not hold an abort', () => expect(asked(held(), 'abort')).toBe('Reverted VersionBlocked 0'));

  it('does not hold what goes back because the Cell is pinned to what served before', () => {
    const simulation = held();
    simulation.edit((spec) => ({ ...spec, version: '1.0.0' }));
    simulation.wake();
    simulation.pass(MINUTE);
    expect(stands(simulation)).toBe('Completed Serving 0');
  });

  it('lets a pause of a person hold on when it is ready, and holds after the end of one', () => {
    const simulation = held();
    asked(simulation, 'pause');
    expect(stands(ready(simulation))).toBe('Paused WaitingForResume 20');
    simulation.unready = ['web-v2'];
    simulation.wake();
    expect(asked(simulation, 'resume')).toBe('Paused WaitingForClusters 20');
  });

  it('does not count against the deadline, as nothing is taken back for it', () => {
    const simulation = held({ progressDeadline: '10m' });
    simulation.pass(60 * MINUTE);
    expect(stands(simulation)).toBe('Paused WaitingForClusters 20');
    expect(stands(ready(simulation))).toBe('Completed Serving 100');
  });

  it('holds no rollback, and no target groups that come and go where no rollout is under way', () => {
    const simulation = ready(held());
    simulation.unready = ['web-v2'];
    simulation.provision('2.0.0', 'c');
    simulation.wake();
    simulation.pass(MINUTE);
    expect(simulation.served.filter(({ weight }) => weight > 0)).toHaveLength(2);
    simulation.edit((spec) => ({ ...spec, version: '1.0.0' }));
    simulation.wake();
    simulation.pass(MINUTE);
    expect(simulation.status.stableVersion).toBe('1.0.0');
  });

  it('holds as an application before it does that is not in place, which no request passes either', () => {
    const simulation = held();
    simulation.behind = 'jobs';
    expect(stands(ready(simulation))).toBe('Paused WaitingForApplication 20');
    expect(simulation.status.message).toBe(
      'Waiting for application jobs of Cell shop to be in place. Next: Setting the weight of 2.0.0 to 60.',
    );
    expect(asked(simulation, 'promoteFull')).toBe('Paused WaitingForApplication 20');
    simulation.behind = undefined;
    expect(stands(ready(simulation))).toBe('Completed Serving 100');
  });

  it('does not hold an abort where an application before it does', () => {
    const simulation = held();
    simulation.behind = 'jobs';
    expect(asked(ready(simulation), 'abort')).toBe('Reverted VersionBlocked 0');
  });

  it('is named by the status of that Cell', () => {
    const since = '2026-11-23T10:00:00Z';
    const clusters = [
      { name: 'a', ready: true, message: '', since },
      { name: 'b', ready: false, message: '', since },
    ];
    expect(unreadyClusters({ status: { clusters } })).toEqual(['b']);
    expect(unreadyClusters({})).toEqual([]);
  });
});
