import { describe, expect, it } from 'vitest';
import type { CanaryStep } from '../../crds/cell.ts';
import { arnOf, weightsOf } from '../testing/builders.ts';
import { aMinuteLater, rollingOut, without } from '../testing/rolling-out.ts';
import type { Simulation } from '../testing/simulation.ts';

const MINUTE = 60_000;
const analysis = { templates: [{ templateName: 'success-rate' }] };

const strategy = (...steps: CanaryStep[]) => ({
  settle: '0s',
  updateStrategy: { type: 'Canary', canary: { steps } } as const,
});

/** 2.0.0 has half of the traffic by b, and the rest stays with 1.0.0 by a. */
function atHalf(...then: CanaryStep[]): Simulation {
  const web = rollingOut(strategy({ setWeight: 50 }, ...then));
  web.pass(MINUTE);
  expect(weightsOf(web.served)).toEqual({ a: 50, b: 50 });
  return web;
}

const degraded = ({ status }: Simulation) =>
  status.conditions?.find(({ type, status: holds }) => type === 'Degraded' && holds === 'True');

const events = (web: Simulation): readonly string[] =>
  web.emitted.map(({ reason, message }) => `${reason}: ${message}`);

describe('a side without a healthy target, while the other has some', () => {
  it.each<[string, (web: Simulation) => void]>([
    ['an analysis fails', (web) => web.conclude('Failed')],
    ['a newer version comes', (web) => web.provision('3.0.0', 'c')],
    ['the Cell is pinned to it', (web) => web.edit((spec) => ({ ...spec, version: '1.0.0' }))],
    ['the spec is not valid', (web) => (web.problems = ['spec.x is bad.'])],
  ])('gets nothing back when %s, until it has one', (_, happens) => {
    const web = atHalf({ analysis }, { pause: {} });
    web.unhealthy.add(arnOf('a'));
    happens(web);
    aMinuteLater(web);
    expect(weightsOf(web.served)).toMatchObject({ a: 50, b: 50 });
    expect(degraded(web)?.message).toMatch(/from b \(1 of 1 healthy\) to a \(0 of 1 healthy/);

    web.unhealthy.delete(arnOf('a'));
    aMinuteLater(web);
    expect(weightsOf(web.served)['b'] ?? 0).toBe(0);
  });

  it('gets everything back by the abort of a person, with an Event that says so', () => {
    const web = atHalf({ pause: {} });
    web.unhealthy.add(arnOf('a'));
    web.ask('abort');
    web.run();
    expect(weightsOf(web.served)).toMatchObject({ a: 100, b: 0 });
    expect(events(web)).toContainEqual(
      expect.stringMatching(/^NoHealthyTargets: Shifted all traffic from b .* to a .* as requested/),
    );
  });

  it('gets everything by promoteFull, with an Event that says so', () => {
    const web = atHalf({ pause: {} });
    web.unhealthy.add(arnOf('b'));
    web.ask('promoteFull');
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toMatchObject({ b: 100 });
    expect(events(web)).toContainEqual(
      expect.stringMatching(/^NoHealthyTargets: Shifted all traffic from a/),
    );
  });

  it.each([
    ['at once when the version that serves is deleted first', undefined],
    ['when a pinned version is', '2.0.0'],
  ])('gets nothing %s', (_, version) => {
    const web = rollingOut(strategy());
    web.pass(20 * MINUTE);
    expect(weightsOf(web.served)).toEqual({ b: 100 });
    if (version !== undefined) web.edit((spec) => ({ ...spec, version }));
    web.unhealthy.add(arnOf('a'));
    without(web, 'b');
    expect(weightsOf(web.served)).toEqual({ a: 0, b: 100 });
    expect(degraded(web)?.reason).toBe('NoHealthyTargets');

    without(web, 'a');
    expect(weightsOf(web.served)).toMatchObject({ b: 100 });
  });
});

describe('what serves, of which the objects say something else', () => {
  /** 2.0.0 serves; the objects are those of before it came. */
  function restored(): Simulation {
    const web = rollingOut(strategy());
    const before = { status: web.status, told: web.told };
    web.pass(20 * MINUTE);
    expect(weightsOf(web.served)).toEqual({ b: 100 });
    Object.assign(web, before);
    web.groups = web.groups.filter(({ version }) => version === '1.0.0');
    web.loseTemporal();
    return web;
  }

  it('is taken over when Kubernetes was restored from a backup, also during a Freeze', () => {
    const web = restored();
    web.freezes = [{ name: 'all', by: 'ops', reason: 'Friday.' }];
    web.unhealthy.add(arnOf('a'));
    web.lookForDrift();
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toMatchObject({ b: 100 });
    expect(web.told).toEqual(web.served);
  });

  it('keeps everything when the Cell is created again, and an older version takes its steps', () => {
    const web = restored();
    Object.assign(web, { status: {}, isKnown: false });
    web.edit((spec) => ({ ...spec, ...strategy({ setWeight: 20 }, { pause: {} }) }));
    web.unhealthy.add(arnOf('a'));
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toEqual({ a: 0, b: 100 });
    web.unhealthy.clear();
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toEqual({ a: 20, b: 80 });

    web.provision('2.0.0', 'b');
    aMinuteLater(web);
    expect(weightsOf(web.served)).toMatchObject({ b: 100 });
    expect(web.status.stableVersion).toBe('2.0.0');
  });
});
