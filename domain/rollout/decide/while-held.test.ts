import { describe, expect, it } from 'vitest';
import type { CellSpec } from '../../../crds/cell.ts';
import { initialState } from '../../model/state.ts';
import { decide } from './decide.ts';
import { aCell, arnOf, weightsOf } from '../../testing/builders.ts';
import { aMinuteLater, rollingOut, stands, without } from '../../testing/rolling-out.ts';
import type { Simulation } from '../../testing/simulation.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const freeze = { name: 'all', by: 'ops', reason: 'Friday.' };
const steps = [{ setWeight: 20 }, { pause: {} }];
/** One that is shut whenever these tests look. */
const shut = (simulation: Simulation): NonNullable<CellSpec['windows']> => {
  const hour = (new Date(simulation.now).getUTCHours() + 12) % 24;
  const time = `${String(hour).padStart(2, '0')}:`;
  return [{ timeZone: 'UTC', start: `${time}00`, end: `${time}59` }];
};

type Gate = (simulation: Simulation) => void;
const shutWindow: readonly [string, Gate, string] = [
  'a shut window',
  (simulation) => simulation.edit((spec) => ({ ...spec, windows: shut(simulation) })),
  'Waiting WaitingForWindow',
];
const gates: readonly (readonly [string, Gate, string])[] = [
  shutWindow,
  ['a Freeze', (simulation) => (simulation.freezes = [freeze]), 'Waiting WaitingForFreeze'],
];

/** 1.0.0 serves by a and c, and a newer version is held by a gate, or does not fit. */
function serving(hold: Gate, ...newer: readonly string[]): Simulation {
  const simulation = rollingOut({ settle: '0s', updateStrategy: { type: 'Canary', canary: { steps } } });
  simulation.groups = simulation.groups.filter(({ name }) => name !== 'b');
  simulation.provision('1.0.0', 'c');
  simulation.pass(MINUTE);
  expect(weightsOf(simulation.served)).toMatchObject({ a: 50, c: 50 });
  hold(simulation);
  simulation.provision('2.0.0', ...newer);
  return aMinuteLater(simulation);
}

const served = ({ served: shares }: Simulation): Readonly<Record<string, number>> => weightsOf(shares);

describe('the version that serves, while a newer one is held', () => {
  it.each(gates)('loses a group that is gone, by %s', (_, hold, held) => {
    const simulation = without(serving(hold, 'b'), 'c');
    expect(served(simulation)).toEqual({ a: 100 });
    expect(`${simulation.status.phase} ${simulation.status.reason}`).toBe(held);
  });

  it('gets a group that joins once nothing is held any more', () => {
    const [, hold] = shutWindow;
    const simulation = serving(hold, 'b');
    simulation.provision('1.0.0', 'd');
    expect(served(aMinuteLater(simulation))).toEqual({ a: 50, c: 50 });
    simulation.groups = simulation.groups.filter(({ name }) => name !== 'b');
    expect(served(aMinuteLater(simulation))).toEqual({ a: 33, c: 33, d: 34 });
  });

  it('loses a group that is gone, though the one in its place would leave the newer one no room', () => {
    const [, hold] = shutWindow;
    const simulation = serving(hold, 'b', 'e', 'f', 'h');
    simulation.groups = simulation.groups.filter(({ name }) => name !== 'h');
    aMinuteLater(simulation);
    simulation.provision('1.0.0', 'd', 'g');
    expect(served(without(simulation, 'c'))).toEqual({ a: 100 });
  });

  it('loses a group that is gone, though groups wait at weight 0', () => {
    const simulation = serving(() => undefined, 'b');
    simulation.ask('promoteFull');
    aMinuteLater(simulation);
    simulation.provision('2.0.0', 'd');
    expect(served(aMinuteLater(simulation))).toEqual({ a: 0, c: 0, b: 50, d: 50 });
    simulation.edit((spec) => ({ ...spec, windows: shut(simulation) }));
    simulation.provision('3.0.0', 'x', 'y', 'z');
    aMinuteLater(simulation);
    expect(served(without(simulation, 'd'))).toMatchObject({ b: 100 });
  });

  it('gets other hosts, through a shut window', () => {
    const [, hold] = shutWindow;
    const simulation = serving(hold, 'b');
    const { awsApplicationLoadBalancer: block } = simulation.spec.ingress ?? {};
    if (block === undefined) throw new Error('Expected a Cell behind an Application Load Balancer.');
    const listener = { rule: { priority: 10, hosts: ['other.com'] } };
    const ingress = {
      type: 'AWSApplicationLoadBalancer' as const,
      awsApplicationLoadBalancer: { ...block, listener },
    };
    simulation.edit((spec) => ({ ...spec, ingress }));
    expect(aMinuteLater(simulation).route).toMatchObject({ listener: { rule: { hosts: ['other.com'] } } });
  });
});

describe('the version that serves, beside one that does not fit', () => {
  const nothing: Gate = () => undefined;

  it('loses a group that is gone, which makes room', () => {
    const simulation = serving(nothing, 'b', 'd', 'e', 'f');
    expect(stands(simulation)).toBe('Failed TooManyTargetGroups 0');
    without(simulation, 'c');
    simulation.pass(HOUR);
    expect(served(simulation)).toMatchObject({ a: 80 });
    expect(simulation.status.reason).toBe('WaitingForResume');
  });
});

describe('a version that serves and is gone', () => {
  /** 2.0.0 serves by b, 1.0.0 has a, and 3.0.0 is complete; then b goes. */
  function gone(hold: Gate, ...third: readonly string[]): Simulation {
    const simulation = rollingOut({
      settle: '0s',
      updateStrategy: { type: 'Canary', canary: { steps: [{ setWeight: 20 }] } },
    });
    simulation.pass(HOUR);
    expect(served(simulation)).toMatchObject({ b: 100 });
    hold(simulation);
    simulation.edit((spec) => ({ ...spec, updateStrategy: { type: 'Canary', canary: { steps } } }));
    simulation.provision('3.0.0', ...third);
    return without(simulation, 'b');
  }

  it.each(gates)('falls back at once to an older one, by %s', (_, hold, held) => {
    const simulation = gone(hold, 'd');
    expect(served(simulation)).toMatchObject({ a: 100 });
    expect(`${simulation.status.phase} ${simulation.status.reason}`).toBe(held);
    expect(simulation.status.history?.[0]).toMatchObject({ outcome: 'FellBack', version: '1.0.0' });
  });

  it('falls back to an older one, from which a newer one rolls out by its steps', () => {
    const simulation = gone(() => undefined, 'd');
    expect(served(simulation)).toMatchObject({ a: 80, d: 20 });
    expect(simulation.status.history?.[0]).toMatchObject({ outcome: 'FellBack', version: '1.0.0' });
  });

  it('falls back to an older one, though a newer one does not fit', () => {
    const simulation = gone(() => undefined, 'd', 'e', 'f', 'g', 'h');
    expect(served(simulation)).toMatchObject({ a: 100 });
    expect(stands(simulation)).toMatch(/^Failed TooManyTargetGroups/);
  });
});

describe('the version that serves, while a lower one that the Cell is pinned to is not healthy', () => {
  /** 2.0.0 serves by b and d, and 1.0.0 has a. */
  function pinned(unhealthy: readonly string[], freezes: readonly (typeof freeze)[] = []): Simulation {
    const simulation = rollingOut({ settle: '0s' });
    simulation.provision('2.0.0', 'd');
    simulation.pass(MINUTE);
    expect(served(simulation)).toMatchObject({ b: 50, d: 50 });
    for (const name of unhealthy) simulation.unhealthy.add(arnOf(name));
    simulation.freezes = freezes;
    simulation.edit((spec) => ({ ...spec, version: '1.0.0' }));
    return without(simulation, 'd');
  }

  it.each([[[]], [[freeze]]])('loses a group that is gone (%j)', (freezes) => {
    const simulation = pinned(['a'], freezes);
    expect(served(simulation)).toEqual({ a: 0, b: 100 });
    expect(stands(simulation)).toBe('Progressing WaitingForHealth 100');
    simulation.unhealthy.clear();
    simulation.pass(MINUTE);
    expect(served(simulation)).toMatchObject({ a: 100 });
  });

  it('loses it', () => {
    const seen = aCell()
      .withSpec({ version: '1.0.0' })
      .withGroups('1.0.0', 'a')
      .withGroups('2.0.0', 'b')
      .withStatus({
        targetGroups: [{ name: 'd', arn: arnOf('d'), version: '2.0.0', role: 'Stable', weight: 50 }],
      })
      .serving({ a: 0, b: 50, d: 50 })
      .seen();
    const health = { targetGroupARNs: [arnOf('a')], since: 0, at: 0, checks: 1, lack: 'None.' };
    expect(decide(seen, { ...initialState, health }, 1)).toMatchObject({
      do: 'Shift',
      purpose: 'RemovingTargetGroups',
    });
  });

  it('keeps it while nothing else is healthy, and looks at each in its time', () => {
    const simulation = pinned(['a', 'b']);
    expect(served(simulation)).toEqual({ a: 0, b: 50, d: 50 });
    const { state, now } = simulation;
    simulation.pass(10 * MINUTE);
    const looks = (simulation.state.health?.checks ?? 0) - (state.health?.checks ?? 0);
    expect(looks).toBeLessThanOrEqual(2 + (simulation.now - now) / 30_000);
    simulation.unhealthy.delete(arnOf('b'));
    simulation.pass(MINUTE);
    expect(served(simulation)).toEqual({ a: 0, b: 100 });
  });
});
