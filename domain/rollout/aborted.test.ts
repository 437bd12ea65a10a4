import { describe, expect, it } from 'vitest';
import type { CanaryStep, CellStatus } from '../../crds/cell.ts';
import { answerTo } from '../model/requests.ts';
import type { FailureType } from '../failures.ts';
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
      'Retrying at once to shift all traffic back to 1.0.0; its version stays blocked.',
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

describe('an abort that AWS refuses for good', () => {
  const MANY = 1_000;

  /** How many writes are refused during what happens. */
  function attempts(web: Simulation, happens: () => void): number {
    web.refusals = MANY;
    happens();
    web.run();
    return MANY - web.refusals;
  }

  /** An abort that was refused for ten minutes. */
  function denied(refusal: FailureType = 'AccessDenied'): Simulation {
    const web = atHalf([...paused, { setWeight: 80 }]);
    web.refusal = refusal;
    attempts(web, () => aborted(web).pass(10 * MINUTE));
    return web;
  }

  /** How often it is tried within three seconds after something has happened. */
  const soon = (web: Simulation, happens: () => void): number =>
    attempts(web, () => {
      happens();
      web.pass(3_000);
    });

  it.each([
    ['four times a minute when it stays so', 'AccessDenied', 4],
    ['every two seconds when it may pass', 'Throttled', 30],
    ['every two seconds when another write has overtaken it', 'Superseded', 30],
  ] as const)('is tried %s', (_, refusal, times) => {
    const web = denied(refusal);
    expect(attempts(web, () => web.pass(MINUTE))).toBe(times);
    expect(web.status.phase).toBe('RevertBlocked');
  });

  it.each<[string, (web: Simulation) => void]>([
    [
      'the spec is edited',
      (web) => {
        web.edit((spec) => ({ ...spec, minHealthyTargets: 2 }));
        web.wake();
      },
    ],
    ['someone sends retry', (web) => web.ask('retry')],
    ['the load balancer serves something else', (web) => web.drift(web.served)],
  ])('is tried at once, and soon again, when %s', (_, happens) => {
    const web = denied();
    expect(soon(web, () => happens(web))).toBe(3);
    expect(attempts(web, () => web.pass(10 * MINUTE))).toBeLessThan(10 * 4 + 4);
  });

  it('is tried soon again when another error comes', () => {
    const web = denied();
    web.refusal = 'Conflict';
    expect(attempts(web, () => web.pass(20_000))).toBeGreaterThanOrEqual(4);
  });

  it('is made within a quarter of a minute once AWS lets it', () => {
    const web = denied();
    web.refusals = 0;
    web.pass(15_000);
    expect(standing(web)).toEqual(BACK);
  });
});

describe('an abort while a step waits that AWS has refused for good', () => {
  it('is made at once', () => {
    const web = atHalf([...paused, { setWeight: 80 }]);
    web.refusal = 'AccessDenied';
    web.refusals = 1_000;
    web.ask('resume');
    web.pass(60 * MINUTE);
    expect(web.last).toMatchObject({ do: 'Wait', for: 'Backoff' });
    web.refusals = 0;
    expect(standing(aborted(web))).toEqual(BACK);
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
  /** What was told while the rollout was under way, and lands when the abort has been told. */
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

describe('an abort of which the status cannot be written', () => {
  it('is not forgotten when a newer version fails next', () => {
    const web = atHalf();
    web.isMute = true;
    aborted(web);
    expect(standing(web).weights).toEqual({ a: 100 });
    web.provision('2.1.0', 'c');
    web.wake();
    web.pass(MINUTE);
    expect(standing(web).weights).toEqual({ a: 100 });
    web.isMute = false;
    web.wake();
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toMatchObject({ a: 50, c: 50 });
    aborted(web);
    web.pass(MINUTE);
    expect(standing(web)).toEqual({ weights: { a: 100 }, blocked: ['2.0.0', '2.1.0'] });
  });
});
