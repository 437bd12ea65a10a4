import { describe, expect, it } from 'vitest';
import { arnOf, weightsOf } from '../testing/builders.ts';
import { aMinuteLater, rollingOut, stands, without } from '../testing/rolling-out.ts';
import type { Simulation } from '../testing/simulation.ts';
import { isUrgent } from '../model/shift-purpose.ts';

const MINUTE = 60_000;

/** A rollout of 2.0.0 in a pause, which has everything since the AWSTargetGroup of the stable version was deleted. */
function alone(): Simulation {
  const steps = [{ setWeight: 50 }, { pause: {} }];
  const web = rollingOut({ updateStrategy: { type: 'Canary', canary: { steps } } });
  web.run();
  web.groups = web.groups.filter(({ name }) => name !== 'a');
  web.wake();
  web.pass(10_000);
  expect(weightsOf(web.served)).toEqual({ b: 100 });
  return web;
}

/** Target groups of 3.0.0 appear, which have no healthy target. */
function newer(web: Simulation, version?: string): Simulation {
  web.unhealthy.add(arnOf('c'));
  web.provision('3.0.0', 'c');
  web.edit((spec) => (version === undefined ? spec : { ...spec, version }));
  web.wake();
  web.pass(MINUTE);
  return web;
}

describe('a rollout with nothing left to go back to', () => {
  it.each([
    ['supersedes it', undefined],
    ['is pinned', '3.0.0'],
  ])('keeps everything when a newer version %s, which takes its own steps', (_, version) => {
    const web = newer(alone(), version);
    expect(weightsOf(web.served)).toEqual({ b: 100, c: 0 });
    expect(stands(web)).toBe('Progressing WaitingForHealth 100');
    web.unhealthy.clear();
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toEqual({ b: 50, c: 50 });
    web.ask('abort');
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toEqual({ b: 100, c: 0 });
  });

  it('lets the newer one wait for a Freeze', () => {
    const web = alone();
    web.freezes = [{ name: 'all', by: 'ops', reason: 'Friday.' }];
    newer(web);
    expect(weightsOf(web.served)).toEqual({ b: 100 });
  });

  it('keeps everything when it is aborted, and says so', () => {
    const web = alone();
    web.ask('abort');
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toEqual({ b: 100 });
    expect(stands(web)).toBe('Failed VersionBlocked 100');
    expect(web.status.message).toContain('2.0.0 serves, though it is blocked: Aborted by ann.');
    web.provision('3.0.0', 'c');
    web.wake();
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toEqual({ b: 50, c: 50 });
  });

  it('gives no weight to a group of its own of which nobody knows whether it is healthy', () => {
    const steps = [{ setWeight: 50 }, { pause: {} }];
    const web = rollingOut({ updateStrategy: { type: 'Canary', canary: { steps } } });
    web.provision('2.0.0', 'b', 'c');
    web.unhealthy.add(arnOf('c'));
    web.run();
    web.groups = web.groups.filter(({ name }) => name !== 'a');
    web.wake();
    web.pass(10_000);
    web.served = web.told = [
      { name: 'b', arn: arnOf('b'), weight: 100 },
      { name: 'c', arn: arnOf('c'), weight: 0 },
    ];
    web.ask('abort');
    web.wake();
    web.run();
    expect(weightsOf(web.served)['b']).toBe(100);
  });

  it('goes back to an older version that has not failed', () => {
    const web = alone();
    web.provision('0.9.0', 'o');
    web.provision('3.0.0', 'c');
    web.ask('abort');
    web.wake();
    web.run();
    const back = web.writes.find(({ shift }) => shift.purpose === 'Reverting');
    expect(weightsOf(back?.shift.shares ?? [])).toEqual({ b: 0, o: 100 });
  });

  it('goes back to groups that are still in the rule', () => {
    const web = rollingOut({
      updateStrategy: { type: 'Canary', canary: { steps: [{ setWeight: 50 }, { pause: {} }] } },
    });
    web.run();
    web.groups = web.groups.filter(({ name }) => name !== 'a');
    newer(web);
    expect(weightsOf(web.served)).toEqual({ a: 100, c: 0 });
  });
});

describe('a Cell that is pinned to a version whose target groups are gone', () => {
  /** A Cell that serves 2.0.0, is pinned, and loses target groups. */
  function pinned(version: string, ...gone: readonly string[]): Simulation {
    const web = rollingOut();
    web.run();
    web.pass(10 * MINUTE);
    expect(weightsOf(web.served)).toEqual({ b: 100 });
    web.edit((spec) => ({ ...spec, version }));
    return without(web, ...gone);
  }
  const degraded = (web: Simulation) => web.status.conditions?.find(({ type }) => type === 'Degraded');

  it('falls back from it and says so, and serves it again once it is back', () => {
    const web = pinned('2.0.0', 'b');
    expect(weightsOf(web.served)).toEqual({ a: 100 });
    expect(stands(web)).toBe('Waiting PinnedVersionGone 0');
    expect(web.status.message).toBe('1.0.0 serves. Waiting: 0 of 1 target groups at 2.0.0.');
    expect(degraded(web)).toMatchObject({ status: 'True', reason: 'PinnedVersionGone' });
    web.provision('2.0.0', 'b');
    web.wake();
    web.pass(10 * MINUTE);
    expect(weightsOf(web.served)).toEqual({ b: 100 });
    expect(degraded(web)?.status).toBe('False');
  });

  it('keeps it where there is nothing to fall back to, and says so', () => {
    const web = pinned('2.0.0', 'a', 'b');
    expect(weightsOf(web.served)).toEqual({ b: 100 });
    expect(stands(web)).toBe('Failed TargetGroupsGone 100');
    expect(degraded(web)).toMatchObject({ status: 'True', reason: 'TargetGroupsGone' });
  });

  it('continues with what serves, and rolls back once it is there', () => {
    const web = pinned('1.0.0', 'a');
    expect(weightsOf(web.served)).toEqual({ b: 100 });
    expect(stands(web)).toBe('Waiting NotEnoughTargetGroups 100');
    expect(degraded(web)?.status).toBe('False');
    web.provision('1.0.0', 'a');
    aMinuteLater(web);
    expect(weightsOf(web.served)).toMatchObject({ a: 100 });
  });
});

describe('a rollout with the whole weight whose stable version waits at 0, and is deleted', () => {
  function whole(): Simulation {
    const steps = [{ setWeight: 100 }, { pause: {} }];
    const web = rollingOut({ updateStrategy: { type: 'Canary', canary: { steps } } });
    web.run();
    web.groups = web.groups.filter(({ name }) => name !== 'a');
    web.wake();
    web.pass(10_000);
    expect(weightsOf(web.served)).toEqual({ a: 0, b: 100 });
    return web;
  }

  it('keeps everything when a newer version supersedes it', () => {
    const web = newer(whole());
    expect(weightsOf(web.served.filter(({ weight }) => weight > 0))).toEqual({ b: 100 });
    expect(web.writes.filter(({ shift }) => isUrgent(shift))).toEqual([]);
  });

  it('keeps everything when a newer version comes as its run is lost', () => {
    const web = whole();
    web.loseTemporal();
    newer(web);
    expect(weightsOf(web.served.filter(({ weight }) => weight > 0))).toEqual({ b: 100 });
    expect(web.writes.filter(({ shift }) => isUrgent(shift))).toEqual([]);
  });

  it('goes back to what is still in the rule when it is aborted', () => {
    const web = whole();
    web.ask('abort');
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toEqual({ a: 100, b: 0 });
  });
});
