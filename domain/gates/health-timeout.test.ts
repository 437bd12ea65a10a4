import { describe, expect, it } from 'vitest';
import { arnOf, weightsOf } from '../testing/builders.ts';
import { rollingOut } from '../testing/rolling-out.ts';
import type { Simulation } from '../testing/simulation.ts';
import { lackingSince } from './guard.ts';

const MINUTE = 60_000;

/** A rollout whose targets were seen unhealthy once, on the way from 10 to 60. */
function seenUnhealthy(): Simulation {
  const steps = [{ setWeight: 10 }, { pause: { duration: '1m' } }, { setWeight: 60 }, { pause: {} }];
  const web = rollingOut({ healthTimeout: '10m', updateStrategy: { type: 'Canary', canary: { steps } } });
  web.run();
  web.unhealthy.add(arnOf('b'));
  web.pass(MINUTE + 1);
  expect(web.last).toMatchObject({ do: 'Wait', for: 'Health' });
  return web;
}

/** What holds a rollout for half an hour, and how it is allowed to continue. */
const holds: readonly (readonly [string, (web: Simulation) => void, (web: Simulation) => void])[] = [
  [
    'a Freeze',
    (web) => {
      web.freezes = [{ name: 'all', by: 'ops', reason: 'Friday.' }];
      web.wake();
    },
    (web) => {
      web.freezes = [];
      web.wake();
    },
  ],
  ['a pause of an operator', (web) => web.ask('pause'), (web) => web.ask('resume')],
  [
    'a window',
    (web) => {
      web.edit((spec) => ({ ...spec, windows: [{ timeZone: 'UTC', start: '09:00', end: '10:01' }] }));
      web.wake();
    },
    (web) => {
      web.edit(({ windows: _over, ...spec }) => spec);
      web.wake();
    },
  ],
];

describe.each(holds)('the time in which %s holds a rollout', (_, hold, letGo) => {
  function held(heal: boolean): Simulation {
    const web = seenUnhealthy();
    hold(web);
    web.pass(MINUTE);
    if (heal) web.unhealthy.clear();
    web.pass(30 * MINUTE);
    // A word of anything else has it decide again.
    web.wake();
    web.run();
    expect(web.state.rollout?.ending).toBeUndefined();
    return web;
  }

  it('fails no version whose targets have become healthy meanwhile', () => {
    const web = held(true);
    letGo(web);
    web.run();
    expect(weightsOf(web.served)).toEqual({ a: 40, b: 60 });
    expect(web.status.blockedVersions).toEqual([]);
  });

  it('does not count against healthTimeout, and what is left of that does', () => {
    const web = held(false);
    letGo(web);
    web.pass(8 * MINUTE);
    expect(web.last).toMatchObject({ do: 'Wait', for: 'Health' });
    web.pass(3 * MINUTE);
    expect(web.status.blockedVersions).toMatchObject([{ version: '2.0.0' }]);
  });
});

describe('a step to less weight while the stable side has no healthy target', () => {
  function lowering(): Simulation {
    const steps = [{ setWeight: 60 }, { pause: { duration: '1m' } }, { setWeight: 20 }, { pause: {} }];
    const web = rollingOut({ healthTimeout: '10m', updateStrategy: { type: 'Canary', canary: { steps } } });
    web.run();
    web.unhealthy.add(arnOf('a'));
    web.pass(30 * MINUTE);
    return web;
  }

  it('holds the weights, and fails no version by which nothing was lacking', () => {
    const web = lowering();
    expect(weightsOf(web.served)).toEqual({ a: 40, b: 60 });
    expect(web.last).toMatchObject({ do: 'Wait', for: 'Health' });
    expect(web.status.blockedVersions).toEqual([]);
  });

  it('continues once it has one', () => {
    const web = lowering();
    web.unhealthy.clear();
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toEqual({ a: 80, b: 20 });
  });
});

it.each<[string, number, number]>([
  ['a look that comes in time counts what was before it', 30_000, 0],
  ['so does one that had to wait for a turn', 55_000, 0],
  [
    'after half an hour without one all but the longest interval is left out',
    30 * MINUTE,
    30 * MINUTE - 30_000,
  ],
])('%s', (_, gap, leftOut) => {
  const known = { targetGroupARNs: [], since: 0, at: MINUTE, checks: 3, lack: '' };
  expect(lackingSince(known, MINUTE + gap)).toBe(leftOut);
});
