import { describe, expect, it } from 'vitest';
import { arnOf, weightsOf } from '../../testing/builders.ts';
import { aMinuteLater, without } from '../../testing/rolling-out.ts';
import { Simulation } from '../../testing/simulation.ts';

const MINUTE = 60_000;
const freeze = { name: 'all', by: 'ops', reason: 'Friday.' };

/** 1.0.0 serves by five groups, which is all that a rule has room for, and there are more of it. */
function full(...more: readonly string[]): Simulation {
  const simulation = new Simulation({ settle: '0s' });
  simulation.provision('1.0.0', 'a', 'b', 'c', 'd', 'e');
  simulation.run();
  simulation.provision('1.0.0', ...more);
  return aMinuteLater(simulation);
}

const served = (simulation: Simulation): Readonly<Record<string, number>> => weightsOf(simulation.served);

describe('what serves by as many target groups as a rule has room for', () => {
  it('gets another one in the place of one that is gone', () => {
    const simulation = full('f');
    expect(simulation.status.reason).toBe('TooManyTargetGroups');
    expect(served(without(simulation, 'e'))).toEqual({ a: 20, b: 20, c: 20, d: 20, f: 20 });
    expect(simulation.status.reason).toBe('Serving');
  });

  it('loses one that is gone, though there are still too many', () => {
    const simulation = without(full('f', 'g'), 'e');
    expect(served(simulation)).toEqual({ a: 25, b: 25, c: 25, d: 25 });
    expect(simulation.status.reason).toBe('TooManyTargetGroups');
  });

  it('loses one that is gone also while a newer version does not fit', () => {
    const simulation = full('f');
    simulation.provision('2.0.0', 'g');
    expect(Object.keys(served(without(simulation, 'e')))).not.toContain('e');
  });

  it('loses it during a Freeze, and gets the other one afterwards', () => {
    const simulation = full('f');
    simulation.freezes = [freeze];
    expect(served(without(simulation, 'e'))).toEqual({ a: 25, b: 25, c: 25, d: 25 });
    expect(simulation.status.reason).toBe('WaitingForFreeze');
    simulation.freezes = [];
    expect(served(aMinuteLater(simulation))).toMatchObject({ d: 20, f: 20 });
  });
});

describe('what serves by two target groups, one of which goes while another joins', () => {
  function replaced(...unhealthy: readonly string[]): Simulation {
    const simulation = new Simulation({ settle: '0s' });
    simulation.provision('1.0.0', 'a', 'b');
    simulation.run();
    for (const name of unhealthy) simulation.unhealthy.add(arnOf(name));
    simulation.provision('1.0.0', 'f');
    return without(aMinuteLater(simulation), 'b');
  }

  it('loses it while the targets of the other one are not healthy', () => {
    const simulation = replaced('f');
    expect(served(simulation)).toEqual({ a: 100, f: 0 });
    expect(simulation.status.reason).toBe('WaitingForHealth');
    simulation.unhealthy.clear();
    simulation.pass(MINUTE);
    expect(served(simulation)).toEqual({ a: 50, f: 50 });
  });

  it('keeps it while no other one is healthy, and looks at each in its time', () => {
    const simulation = replaced('a', 'f');
    expect(served(simulation)).toEqual({ a: 50, b: 50, f: 0 });
    expect(simulation.status.reason).toBe('WaitingForHealth');
    const { state, now } = simulation;
    simulation.pass(10 * MINUTE);
    const looks = simulation.state.health?.checks ?? 0;
    expect(looks - (state.health?.checks ?? 0)).toBeLessThanOrEqual(2 + (simulation.now - now) / 30_000);
    simulation.unhealthy.delete(arnOf('a'));
    simulation.pass(MINUTE);
    // The one that did not become healthy within spec.healthTimeout has left.
    expect(served(simulation)).toEqual({ a: 100 });
  });
});

describe('what serves, whose target groups are all replaced by others of its version', () => {
  /** ELBv2 refuses what names a target group that someone has deleted there, and may attach none. */
  class Refusing extends Simulation {
    readonly deleted: string[] = [];
    attachesNone = false;

    override attempt(...args: Parameters<Simulation['attempt']>): ReturnType<Simulation['attempt']> {
      const [decision] = args;
      if (decision.do !== 'Shift') return super.attempt(...args);
      const named = JSON.stringify(decision);
      const missing = this.deleted.find((arn) => named.includes(arn));
      if (missing !== undefined)
        return refused('TargetGroupNotFound', `Target groups '${missing}' not found.`);
      const isFull = this.attachesNone && decision.purpose === 'AttachingTargetGroups';
      return isFull ? refused('TooManyTargetGroups', 'The load balancer is full.') : super.attempt(...args);
    }
  }

  const refused = (reason: string, message: string) =>
    ({ is: 'Refused', refusal: { reason, message, permanent: true } }) as const;

  function replacedIn<Of extends Simulation>(
    simulation: Of,
    names: readonly string[],
    happens: (simulation: Of) => unknown,
  ): Of {
    simulation.provision('0.9.0', 'z');
    simulation.provision('1.0.0', 'a', 'b');
    simulation.run();
    simulation.provision('1.0.0', ...names);
    for (const name of names) simulation.unhealthy.add(arnOf(name));
    happens(simulation);
    without(simulation, 'a', 'b');
    return simulation;
  }

  const replaced = (names: readonly string[], freezes: readonly (typeof freeze)[] = []): Simulation =>
    replacedIn(new Simulation({ settle: '0s' }), names, (simulation) => (simulation.freezes = freezes));

  it.each([[[]], [[freeze]]])('keeps everything until those are healthy (%j)', (freezes) => {
    const simulation = replaced(['f', 'g'], freezes);
    expect(served(simulation)).toEqual({ a: 50, b: 50, f: 0, g: 0 });
    expect(simulation.status).toMatchObject({
      reason: 'NoHealthyTargets',
      message: expect.stringMatching(
        /^cannot shift all traffic from a \(1 of 1 healthy\), b .* to f \(0 of 1/,
      ),
    });
    simulation.unhealthy.clear();
    simulation.pass(MINUTE);
    expect(served(simulation)).toEqual({ f: 50, g: 50 });
  });

  it.each<[string, (simulation: Simulation) => void]>([
    ['one of those that fit is healthy', ({ unhealthy }) => unhealthy.delete(arnOf('g'))],
    ['none of its own is', ({ unhealthy }) => ['a', 'b'].forEach((name) => unhealthy.add(arnOf(name)))],
  ])('keeps everything where a rule has no room for both, until %s', (_, happens) => {
    const simulation = replaced(['f', 'g', 'h', 'i']);
    expect(served(simulation)).toEqual({ a: 50, b: 50, f: 0, g: 0, h: 0 });
    expect(simulation.status.reason).toBe('NoHealthyTargets');
    happens(simulation);
    simulation.pass(MINUTE);
    expect(served(simulation)).toEqual({ f: 25, g: 25, h: 25, i: 25 });
  });

  it('gives way at once where none of them has a target any more, also before a newer version', () => {
    const simulation = replaced(['f', 'g']);
    simulation.provision('2.0.0', 'n');
    simulation.unhealthy.add(arnOf('n'));
    for (const name of ['a', 'b']) simulation.empty.add(arnOf(name));
    simulation.pass(MINUTE);
    expect(served(simulation)).toEqual({ f: 50, g: 50, n: 0 });
    expect(simulation.status.desiredVersion).toBe('2.0.0');
  });

  it('keeps everything while ELBv2 does not know others yet', () => {
    const simulation = replacedIn(new Refusing({ settle: '0s' }), ['f', 'g'], (one) =>
      one.deleted.push(arnOf('f')),
    );
    simulation.deleted.pop();
    simulation.pass(15 * MINUTE);
    expect(served(simulation)).toEqual({ a: 50, b: 50, f: 0, g: 0 });
  });

  it('gives way once none of them has a target, where the load balancer has no room for both', () => {
    const simulation = replacedIn(new Refusing({ settle: '0s' }), ['f', 'g'], (one) => {
      one.attachesNone = true;
    });
    simulation.events = 0;
    simulation.pass(60 * MINUTE);
    expect(served(simulation)).toEqual({ a: 50, b: 50 });
    expect(simulation.events).toBeLessThan(60 * 120);
    for (const name of ['a', 'b']) simulation.empty.add(arnOf(name));
    simulation.pass(11 * MINUTE);
    expect(served(simulation)).toEqual({ f: 50, g: 50 });
  });

  it('gives way to an older version once those are gone as well', () => {
    expect(served(without(replaced(['f', 'g']), 'f', 'g'))).toEqual({ z: 100 });
  });
});
