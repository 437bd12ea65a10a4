import { describe, expect, it } from 'vitest';
import type { CanaryStep } from '../../crds/cell.ts';
import { arnOf, NO_TIME, weightsOf } from '../testing/builders.ts';
import { rollingOut } from '../testing/rolling-out.ts';
import { SimulatedListener } from '../testing/simulated-listener.ts';
import { Simulation } from '../testing/simulation.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const canary = (...steps: CanaryStep[]) => ({
  settle: '0s',
  updateStrategy: { type: 'Canary', canary: { steps } } as const,
});

/** Why the Cell was degraded while the label of a target group was removed and set every fifteen seconds; runs close in between. */
function flip(web: Simulation, name: string, minutes = 60): Set<string> {
  const { groups } = web;
  const reasons = new Set<string>();
  for (let i = 0; i < (minutes * MINUTE) / (30 * SECOND); i += 1) {
    for (const now of [groups.filter((one) => one.name !== name), groups]) {
      web.groups = now;
      web.wake();
      web.pass(15 * SECOND);
      reasons.add(degraded(web)?.reason ?? '');
    }
    if (web.settled !== undefined) web.loseTemporal();
  }
  return reasons;
}

const degraded = ({ status }: Simulation) =>
  status.conditions?.find(({ type, status: holds }) => type === 'Degraded' && holds === 'True');

const moves = (web: Simulation): number =>
  web.writes.filter(
    ({ shift }) => !['DetachingTargetGroups', 'AttachingTargetGroups'].includes(shift.purpose),
  ).length;

describe('a label that flips every fifteen seconds', () => {
  it.each<[string, () => Simulation]>([
    [
      'of the only target group that serves',
      () => {
        const web = new Simulation(canary({ setWeight: 50 }));
        web.provision('1.0.0', 'a');
        web.run();
        web.provision('2.0.0', 'b');
        web.wake();
        web.pass(MINUTE);
        expect(web.status.stableVersion).toBe('2.0.0');
        return web;
      },
    ],
    [
      'of one of two target groups that serve',
      () => {
        const web = new Simulation(canary());
        web.provision('1.0.0', 'a', 'b');
        web.run();
        return web;
      },
    ],
    [
      'of the canary',
      () => {
        const web = rollingOut(canary({ setWeight: 50 }, { pause: {} }));
        web.run();
        return web;
      },
    ],
  ])('%s moves traffic a few times an hour, and the Cell says so', (_, make) => {
    const web = make();
    const before = moves(web);
    expect(flip(web, 'b')).toContain('Flapping');
    expect(moves(web) - before).toBeLessThan(40);
    web.pass(20 * MINUTE);
    expect(degraded(web)).toBeUndefined();
  });

  it('does not keep a rollout from being aborted', () => {
    const web = rollingOut(canary({ setWeight: 50 }, { pause: {} }));
    web.provision('1.0.0', 'c');
    web.run();
    flip(web, 'c', 2);
    expect(weightsOf(web.served)['b']).toBe(50);
    web.ask('abort');
    web.run();
    expect(weightsOf(web.served)['b'] ?? 0).toBe(0);
  });
});

describe('weights that something else changes', () => {
  it('are corrected a few times an hour, and the Cell is Contended', () => {
    const web = rollingOut(canary({ setWeight: 20 }, { pause: {} }));
    web.run();
    const before = moves(web);
    const messages = new Set<string>();
    for (let i = 0; i < 60; i += 1) {
      web.drift([
        { name: 'a', arn: arnOf('a'), weight: 0 },
        { name: 'b', arn: arnOf('b'), weight: 100 },
      ]);
      web.pass(MINUTE);
      if (degraded(web)?.reason === 'Contended') messages.add(degraded(web)?.message ?? '');
    }
    expect(moves(web) - before).toBeLessThan(20);
    expect([...messages].join('')).toContain('another installation of Okra');
  });

  it('by another Okra with the same id move a few times an hour, and both Cells are Contended', () => {
    const listener = new SimulatedListener();
    const okras = (['a', 'b'] as const).map((name) => {
      const web = new Simulation(canary(), { listener });
      web.provision('1.0.0', name);
      web.run();
      return web;
    });
    const contended = new Set<Simulation>();
    for (let i = 0; i < 120; i += 1) {
      for (const web of okras) {
        web.lookForDrift();
        web.pass(30 * SECOND);
        if (degraded(web)?.reason === 'Contended') contended.add(web);
      }
    }
    expect(okras.reduce((sum, web) => sum + moves(web), 0)).toBeLessThan(40);
    expect(contended.size).toBe(2);
  });
});

it('target groups that join one after another are not held', () => {
  const web = new Simulation(canary());
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    web.provision('1.0.0', name);
    web.wake();
    web.pass(MINUTE);
  }
  expect(weightsOf(web.served)).toEqual({ a: 20, b: 20, c: 20, d: 20, e: 20 });
});

it.each([NO_TIME, '9000-01-01T00:00:00Z'])('shifts at %s hold nothing', (time) => {
  const web = new Simulation(canary({ setWeight: 50 }));
  web.provision('1.0.0', 'a');
  web.run();
  const shift = { time, purpose: 'FallingBack', weights: 'a: 100' };
  web.status = { ...web.status, unplannedShifts: [shift, shift, shift, shift] };
  web.loseTemporal();
  web.provision('2.0.0', 'b');
  web.wake();
  web.pass(MINUTE);
  expect(weightsOf(web.served)['b']).toBe(100);
});
