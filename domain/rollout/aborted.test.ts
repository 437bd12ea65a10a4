import { describe, expect, it } from 'vitest';
import type { CanaryStep, CellStatus } from '../../crds/cell.ts';
import { answerTo } from '../model/requests.ts';
import { weightsOf } from '../testing/builders.ts';
import { rollingOut } from '../testing/rolling-out.ts';
import type { Simulation } from '../testing/simulation.ts';

const MINUTE = 60_000;
const paused: readonly CanaryStep[] = [{ setWeight: 50 }, { pause: {} }];

/** A rollout of 2.0.0 that waits at 50. */
function atHalf(steps: readonly CanaryStep[] = paused): Simulation {
  const web = rollingOut({ updateStrategy: { type: 'Canary', canary: { steps: [...steps] } } });
  web.run();
  return web;
}

function aborted(web: Simulation): Simulation {
  web.ask('abort');
  web.run();
  return web;
}

/** What serves, and what is blocked. */
const standing = ({ served, status }: Simulation) => ({
  weights: weightsOf(served.filter(({ weight }) => weight > 0)),
  blocked: (status.blockedVersions ?? []).map(({ version }) => version),
});
const BACK = { weights: { a: 100 }, blocked: ['2.0.0'] };

/** An abort of which ELBv2 refuses the writes. */
function refused(times: number): Simulation {
  const web = atHalf([...paused, { setWeight: 80 }]);
  web.refusals = times;
  return aborted(web);
}

describe('a retry of what is being taken back', () => {
  it('tries to take it back again at once, and lifts no block', () => {
    const web = refused(3);
    web.pass(700);
    const attempts = web.refusals;
    web.ask('retry');
    expect(answerTo('retry', web.state)).toBe(
      'Giving everything back to 1.0.0 is tried again at once; what is blocked stays so.',
    );
    web.run();
    expect(web.refusals).toBe(attempts - 1);
    web.pass(MINUTE);
    expect(standing(web)).toEqual(BACK);
  });

  it.each(['Unknown', 'Terminated'] as const)('lifts no block where the run was lost: %s', (is) => {
    const web = refused(1);
    web.loseTemporal(is === 'Terminated' ? { is, by: 'ann', reason: '' } : { is });
    web.ask('retry');
    web.pass(10 * MINUTE);
    expect(standing(web)).toEqual(BACK);
  });

  it('lifts no block where the run was lost, and the next has looked already', () => {
    const web = refused(2);
    web.loseTemporal();
    web.run();
    expect(web.last).toMatchObject({ do: 'Wait', for: 'Backoff' });
    web.isBlind = true;
    web.ask('retry');
    web.run();
    web.isBlind = false;
    web.pass(10 * MINUTE);
    expect(standing(web)).toEqual(BACK);
  });

  it('has the version tried again once everything is back', () => {
    const web = refused(1);
    web.pass(MINUTE);
    web.ask('retry');
    web.run();
    expect(standing(web)).toEqual({ weights: { a: 50, b: 50 }, blocked: [] });
  });
});

describe('a pin that was set before an abort, and seen after it', () => {
  it('lifts no block', () => {
    const web = atHalf();
    web.edit((spec) => ({ ...spec, version: '2.0.0' }));
    aborted(web).pass(MINUTE);
    expect(standing(web)).toEqual(BACK);
    expect(web.status.blockedVersions).toMatchObject([{ version: '2.0.0', pinned: true }]);
  });

  it('lifts no block where the API server did not answer meanwhile', () => {
    const web = atHalf();
    web.isBlind = true;
    web.edit((spec) => ({ ...spec, version: '2.0.0' }));
    web.wake();
    web.pass(10 * MINUTE);
    aborted(web).pass(10 * MINUTE);
    web.isBlind = false;
    web.pass(10 * MINUTE);
    expect(standing(web)).toEqual(BACK);
  });

  it('lifts it when it is removed and set again', () => {
    const web = atHalf();
    web.edit((spec) => ({ ...spec, version: '2.0.0' }));
    aborted(web).pass(MINUTE);
    web.edit(({ version: _removed, ...spec }) => spec);
    web.wake();
    web.run();
    web.edit((spec) => ({ ...spec, version: '2.0.0' }));
    web.wake();
    web.run();
    expect(standing(web)).toEqual({ weights: { a: 50, b: 50 }, blocked: [] });
  });

  it('is another than one that is set afterwards, which lifts it', () => {
    const web = aborted(atHalf());
    web.edit((spec) => ({ ...spec, version: '2.0.0' }));
    web.wake();
    web.run();
    expect(standing(web).weights).toEqual({ a: 50, b: 50 });
  });
});

describe('a status from before an abort that lands after it', () => {
  /** What was told while the rollout went on, and lands when the abort has been told. */
  function overwritten(web: Simulation, refusals: number): Simulation {
    const late: CellStatus = structuredClone(web.status);
    web.refusals = refusals;
    aborted(web);
    web.status = late;
    return web;
  }

  it.each([
    ['while it is taken back', 1],
    ['when it was taken back', 0],
  ])('%s lets the version not begin again, and is written over', (_, refusals) => {
    const web = overwritten(atHalf(), refusals);
    web.wake();
    web.pass(MINUTE);
    expect(standing(web)).toEqual(BACK);
    expect(web.status.phase).toBe('Reverted');
    expect(web.status.rollout).toBeUndefined();
  });

  it('is known for what it is as long as it cannot be written over', () => {
    const web = overwritten(atHalf(), 0);
    web.isMute = true;
    web.wake();
    web.pass(MINUTE);
    web.wake();
    web.pass(MINUTE);
    expect(standing(web).weights).toEqual(BACK.weights);
    web.isMute = false;
    web.pass(MINUTE);
    expect(standing(web)).toEqual(BACK);
  });

  it('is no one that someone has edited to have the version tried again', () => {
    const web = aborted(atHalf());
    web.status = { ...web.status, blockedVersions: [] };
    web.wake();
    web.run();
    expect(standing(web)).toEqual({ weights: { a: 50, b: 50 }, blocked: [] });
  });
});
