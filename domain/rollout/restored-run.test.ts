import { describe, expect, it } from 'vitest';
import type { CanaryStep } from '../../crds/cell.ts';
import { weightsOf } from '../testing/builders.ts';
import { aMinuteLater, rollingOut } from '../testing/rolling-out.ts';
import type { Simulation } from '../testing/simulation.ts';

const MINUTE = 60_000;

/** 2.0.0 has what the first steps give it, and waits for a person. */
function rolling(...steps: CanaryStep[]): Simulation {
  const web = rollingOut({ settle: '0s', updateStrategy: { type: 'Canary', canary: { steps } } });
  web.pass(MINUTE);
  expect(web.status.reason).toBe('WaitingForResume');
  return web;
}

describe('a run of a backup of Temporal', () => {
  it.each<[string, CanaryStep[], number]>([
    ['after a weight', [{ setWeight: 20 }, { pause: {} }, { setWeight: 50 }], 20],
    ['before any', [{ pause: {} }, { setWeight: 50 }], 0],
  ])('gives no more to a version that was aborted since (%s)', (_, steps, weight) => {
    const web = rolling(...steps);
    expect(weightsOf(web.served)['b'] ?? 0).toBe(weight);
    const restore = web.backUpTemporal();
    web.ask('abort');
    web.pass(MINUTE);
    expect(web.status).toMatchObject({ phase: 'Reverted' });

    restore();
    web.ask('resume');
    aMinuteLater(web);
    expect(weightsOf(web.served)['b'] ?? 0).toBe(0);
    expect(web.status.blockedVersions).toMatchObject([{ version: '2.0.0' }]);
    expect(web.settled).toMatchObject({ outcome: 'Reverted', reason: 'VersionBlocked' });
  });

  it.each([
    ['by this run', false],
    ['by a run that has taken it up and written nothing', true],
  ])('leaves a version in place that was rolled out since (%s)', (_, isTakenUp) => {
    const web = rolling({ setWeight: 20 }, { pause: {} }, { setWeight: 40 });
    if (isTakenUp) web.loseTemporal();
    aMinuteLater(web);
    const restore = web.backUpTemporal();
    web.ask('promoteFull');
    web.pass(MINUTE);
    const { length } = web.writes;
    expect(web.status).toMatchObject({ phase: 'Completed', stableVersion: '2.0.0' });

    restore();
    aMinuteLater(web);
    web.ask('promote');
    web.pass(MINUTE);
    expect(web.writes.slice(length).filter(({ shift }) => shift.purpose !== 'DetachingTargetGroups')).toEqual(
      [],
    );
    expect(web.status).toMatchObject({ phase: 'Completed', stableVersion: '2.0.0' });
  });
});

describe('a status of a backup of Kubernetes', () => {
  const steps: CanaryStep[] = [{ setWeight: 20 }, { pause: {} }, { setWeight: 40 }, { pause: {} }];

  it('gives nothing back when its rollout is over', () => {
    const web = rolling(...steps);
    const { status } = web;
    web.ask('promoteFull');
    web.pass(MINUTE);
    const { length } = web.writes;

    web.status = status;
    web.loseTemporal();
    aMinuteLater(web);
    web.ask('promote');
    web.pass(MINUTE);
    expect(web.writes.slice(length)).toEqual([]);
    expect(web.status).toMatchObject({ phase: 'Completed', stableVersion: '2.0.0' });
  });

  it('of a rollout between other versions gives way to the one that is under way', () => {
    const web = rolling(...steps);
    const { status } = web;
    web.ask('promoteFull');
    web.pass(20 * MINUTE);
    web.provision('3.0.0', 'c');
    aMinuteLater(web);
    expect(weightsOf(web.served)).toEqual({ b: 80, c: 20 });

    web.status = status;
    web.loseTemporal();
    aMinuteLater(web);
    expect(weightsOf(web.served)).toEqual({ b: 80, c: 20 });
    expect(web.status.rollout).toMatchObject({ stable: { version: '2.0.0' }, canary: { version: '3.0.0' } });
  });
});
