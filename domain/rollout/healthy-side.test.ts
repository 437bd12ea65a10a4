import { describe, expect, it } from 'vitest';
import type { CanaryStep } from '../../crds/cell.ts';
import { arnOf, weightsOf } from '../testing/builders.ts';
import { answerTo } from '../model/requests.ts';
import { aMinuteLater, rollingOut, without } from '../testing/rolling-out.ts';
import { Simulation } from '../testing/simulation.ts';

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

  it('gets everything when the rule is deleted meanwhile, and no rule is created without weight', () => {
    const web = rollingOut(strategy({ setWeight: 50 }));
    web.pass(MINUTE);
    const deleteRule = (): void => {
      web.listener.rules = [];
      web.isKnown = false;
      web.wake();
      web.run();
    };
    deleteRule();
    web.groups = web.groups.filter(({ name }) => name !== 'b');
    web.wake();
    web.run();
    web.pass(10_000);
    expect(web.status.reason).toBe('NoHealthyTargets');
    deleteRule();
    expect(weightsOf(web.served)).toEqual({ a: 100 });
    for (const { shift } of web.writes) expect(shift.shares.some(({ weight }) => weight > 0)).toBe(true);
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

it('what someone may have changed is read while everything waits for a target group without targets', () => {
  const web = atHalf({ analysis });
  web.provision('0.9.0', 'z');
  web.empty.add(arnOf('z'));
  without(web, 'a');
  web.conclude('Failed');
  aMinuteLater(web);
  expect(weightsOf(web.served)).toEqual({ b: 100 });
  expect(degraded(web)?.reason).toBe('NoHealthyTargets');

  web.drift(web.served);
  web.run();
  expect(web.state.mayDiffer).toBeUndefined();
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

describe('targets that die under weight', () => {
  const sick = (web: Simulation, ...names: readonly string[]): void => {
    for (const name of names) web.unhealthy.add(arnOf(name));
    web.lookForHealth();
  };
  const heal = (web: Simulation, ...names: readonly string[]): void => {
    for (const name of names) web.unhealthy.delete(arnOf(name));
    web.lookForHealth();
  };
  const condition = ({ status }: Simulation, type: string) =>
    status.conditions?.find((one) => one.type === type);

  it.each([
    ['a pause', [{ pause: {} }], false],
    ['a pause, where failures are held', [{ pause: {} }], true],
    ['an analysis', [{ analysis }], false],
  ] as [string, CanaryStep[], boolean][])('revert a canary within a minute during %s', (_, steps, holds) => {
    const web = atHalf(...steps);
    if (holds)
      web.edit((spec) => ({
        ...spec,
        updateStrategy: { type: 'Canary', canary: { ...spec.updateStrategy?.canary, onFailure: 'Hold' } },
      }));
    sick(web, 'b');
    web.pass(20_000);
    expect(weightsOf(web.served)).toEqual({ a: 100 });
    expect(web.status.blockedVersions).toMatchObject([
      { version: '2.0.0', cause: expect.stringContaining('No target of 2.0.0 is healthy') },
    ]);
  });

  it('revert nothing when they are healthy again at the next look', () => {
    const web = atHalf({ pause: {} });
    sick(web, 'b');
    web.pass(5_000);
    heal(web, 'b');
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toEqual({ a: 50, b: 50 });
  });

  it('block no good version when an analysis fails because those of the stable side have died', () => {
    const web = atHalf({ analysis }, { setWeight: 80 }, { pause: {} });
    sick(web, 'a');
    web.pass(MINUTE);
    web.conclude('Failed');
    aMinuteLater(web);
    expect(weightsOf(web.served)).toEqual({ a: 50, b: 50 });
    expect(web.status.blockedVersions ?? []).toEqual([]);
    expect(degraded(web)?.message).toContain('Not reverting to 1.0.0, which has no healthy target');

    web.drift(web.served.map((group) => ({ ...group, weight: group.name === 'a' ? 100 : 0 })));
    web.pass(1_000);
    expect(weightsOf(web.served)).toEqual({ a: 50, b: 50 });

    web.ask('promoteFull');
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toMatchObject({ b: 100 });
  });

  it.each([
    ['abort', 'a', ' Warning: no target of 1.0.0 is healthy: a (0 of 1 healthy).'],
    ['promoteFull', 'b', ' Warning: no target of 2.0.0 is healthy: b (0 of 1 healthy).'],
    ['abort', 'b', ''],
  ] as const)('are part of the answer to %s while those of %s are unhealthy', (name, group, warning) => {
    const web = atHalf({ pause: {} });
    sick(web, group);
    web.pass(5_000);
    const answers = {
      abort: 'The rollout of 2.0.0 is aborted; all traffic shifts back to 1.0.0.',
      promoteFull: '2.0.0 gets all traffic, without the remaining steps.',
    };
    expect(answerTo(name, web.state)).toBe(`${answers[name]}${warning}`);
  });

  /** Two clusters of one version serve half each. */
  function atRest(evacuation?: NonNullable<Simulation['spec']['evacuation']>): Simulation {
    const web = new Simulation({ settle: '0s', ...(evacuation === undefined ? {} : { evacuation }) });
    web.provision('1.0.0', 'a', 'b');
    web.run();
    expect(weightsOf(web.served)).toEqual({ a: 50, b: 50 });
    return web;
  }

  it('lose their weight to the other target group of the version, and get it back when they stay healthy', () => {
    const web = atRest();
    web.freezes = [{ name: 'all', by: 'ops', reason: 'Friday.' }];
    web.wake();
    sick(web, 'a');
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toEqual({ a: 0, b: 100 });
    expect(condition(web, 'TargetsHealthy')).toMatchObject({
      status: 'False',
      message: 'a: 0 of 1 healthy at weight 0, b: 1 of 1 healthy at weight 100.',
    });
    expect(condition(web, 'Ready')?.status).toBe('True');
    expect(degraded(web)?.reason).toBe('UnhealthyTargets');

    web.freezes = [];
    heal(web, 'a');
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toEqual({ a: 0, b: 100 });
    web.pass(6 * MINUTE);
    expect(weightsOf(web.served)).toEqual({ a: 50, b: 50 });
    expect(condition(web, 'TargetsHealthy')?.status).toBe('True');
    expect(web.status.phase).toBe('Completed');
  });

  it('stay in the rule no longer than healthTimeout, and are tried again an hour later', () => {
    const web = atRest();
    sick(web, 'a');
    web.pass(12 * MINUTE);
    expect(weightsOf(web.served)).toEqual({ b: 100 });
    heal(web, 'a');
    web.pass(70 * MINUTE);
    expect(weightsOf(web.served)).toEqual({ a: 50, b: 50 });
  });

  it('keep their weight where nothing else is healthy, or evacuation is disabled', () => {
    const web = atRest();
    sick(web, 'a', 'b');
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toEqual({ a: 50, b: 50 });
    expect(condition(web, 'Ready')?.status).toBe('False');

    const off = atRest({ policy: 'Disabled', after: '15s', returnAfter: '5m' });
    sick(off, 'a');
    off.pass(MINUTE);
    expect(weightsOf(off.served)).toEqual({ a: 50, b: 50 });
    expect(condition(off, 'TargetsHealthy')?.status).toBe('False');
  });

  it('lose their weight within a side of a rollout, in a pause as well, and get it back', () => {
    const web = new Simulation({ ...strategy({ setWeight: 40 }, { pause: {} }) });
    web.provision('1.0.0', 'a', 'b');
    web.run();
    web.provision('2.0.0', 'c', 'd');
    web.wake();
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toEqual({ a: 30, b: 30, c: 20, d: 20 });
    sick(web, 'b', 'c');
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toEqual({ a: 60, b: 0, c: 0, d: 40 });
    expect(web.status.phase).toBe('Paused');
    heal(web, 'b', 'c');
    web.pass(8 * MINUTE);
    expect(weightsOf(web.served)).toEqual({ a: 30, b: 30, c: 20, d: 20 });
  });

  it('take a joiner out of the rule that never became healthy', () => {
    const web = new Simulation({ settle: '0s' });
    web.provision('1.0.0', 'a');
    web.run();
    web.provision('1.0.0', 'b');
    web.unhealthy.add(arnOf('b'));
    aMinuteLater(web);
    expect(weightsOf(web.served)).toEqual({ a: 100, b: 0 });
    web.pass(12 * MINUTE);
    expect(weightsOf(web.served)).toEqual({ a: 100 });
    web.unhealthy.clear();
    web.pass(70 * MINUTE);
    expect(weightsOf(web.served)).toEqual({ a: 50, b: 50 });
  });
});
