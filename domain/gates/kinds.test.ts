import { describe, expect, it } from 'vitest';
import { Simulation } from '../testing/simulation.ts';
import { weightsOf } from '../testing/builders.ts';
import { rollingOut, stands } from '../testing/rolling-out.ts';

const MINUTE = 60_000;
const DELETED = { isThere: false };
const canary = { steps: [{ setWeight: 20 }, { pause: { duration: '10m' } }] };

/** A Cell whose version 1.0.0 serves since an hour ago, from two target groups. */
function serving(): Simulation {
  const web = new Simulation({ updateStrategy: { type: 'Canary', canary } });
  web.provision('1.0.0', 'a1', 'a2');
  web.run();
  expect(web.settled?.reason).toBe('Serving');
  web.pass(60 * MINUTE);
  return web;
}

/** Someone deletes the definition of AWSTargetGroups, and with it all of these. */
function loseGroups(web: Simulation): void {
  web.definitions = { AWSTargetGroup: DELETED };
  web.groups = [];
  web.wake();
  web.run();
}

const madeNow = ({ now }: Simulation) => ({ isThere: true, since: new Date(now).toISOString() });

const weights = (web: Simulation): string => JSON.stringify(weightsOf(web.served));
const held = { do: 'Wait', for: 'Kind' };

describe('a Cell that serves while the kind AWSTargetGroup is installed again', () => {
  it('keeps what it serves while the definition is being deleted, and says why', () => {
    const web = serving();
    web.definitions = { AWSTargetGroup: DELETED };
    web.groups = web.groups.slice(0, 1);
    web.wake();
    web.pass(60 * MINUTE);
    expect(weights(web)).toBe('{"a1":50,"a2":50}');
    expect(web.last).toMatchObject(held);
    expect(web.status).toMatchObject({ phase: 'Waiting', reason: 'WaitingForKind' });
    expect(web.status.message).toContain('No AWSTargetGroup names a2.');
    const degraded = web.status.conditions?.find(({ type }) => type === 'Degraded');
    expect(degraded).toMatchObject({ status: 'True', reason: 'WaitingForKind' });
  });

  it.each([
    ['one of its own', '1.0.0', 'a1'],
    ['an older one', '0.9.0', 'old'],
    ['a newer one', '2.0.0', 'b'],
  ])(
    'moves nothing when the first that is brought back is %s, and goes on once all are',
    (_, version, name) => {
      const web = serving();
      loseGroups(web);
      web.definitions = { AWSTargetGroup: madeNow(web) };
      web.provision(version, name);
      web.wake();
      web.pass(2 * MINUTE);
      expect(weights(web)).toBe('{"a1":50,"a2":50}');
      expect(web.last).toMatchObject(held);
      web.provision('1.0.0', 'a1', 'a2');
      web.wake();
      web.run();
      expect(web.last).not.toMatchObject(held);
      expect(weightsOf(web.served)).toMatchObject({ a1: version === '2.0.0' ? 40 : 50 });
    },
  );

  it('goes by what there is once the grace period is over, without a message', () => {
    const web = serving();
    loseGroups(web);
    web.definitions = { AWSTargetGroup: madeNow(web) };
    web.provision('1.0.0', 'a1');
    web.wake();
    web.pass(4 * MINUTE);
    expect(weights(web)).toBe('{"a1":100}');
    expect(web.settled?.reason).toBe('Serving');
  });

  it('goes on when the definition is there again, without a message', () => {
    const web = serving();
    loseGroups(web);
    web.provision('1.0.0', 'a1', 'a2');
    web.definitions = {};
    web.pass(2 * MINUTE);
    expect(web.settled?.reason).toBe('Serving');
  });

  it('does what spec.version asks for', () => {
    const web = serving();
    loseGroups(web);
    web.definitions = { AWSTargetGroup: madeNow(web) };
    web.provision('0.9.0', 'old');
    web.edit((spec) => ({ ...spec, version: '0.9.0' }));
    web.wake();
    web.run();
    expect(weightsOf(web.served)).toMatchObject({ old: 100 });
  });

  it('takes out at once what someone deletes after the installation of Okra', () => {
    const web = new Simulation();
    web.definitions = { AWSTargetGroup: madeNow(web), Freeze: madeNow(web), AccessPolicy: madeNow(web) };
    web.now += 1000;
    web.provision('1.0.0', 'a1', 'a2');
    web.run();
    expect(weights(web)).toBe('{"a1":50,"a2":50}');
    web.groups = web.groups.slice(0, 1);
    web.wake();
    web.run();
    expect(weights(web)).toBe('{"a1":100}');
    web.provision('1.1.0', 'b');
    web.wake();
    web.run();
    expect(weightsOf(web.served)).toMatchObject({ b: 100 });
  });

  it('installs nothing older over what serves when its own status is lost as well', () => {
    const web = serving();
    const before = web.served;
    const again = new Simulation({ updateStrategy: { type: 'Canary', canary } });
    again.served = before;
    again.isKnown = false;
    again.definitions = { AWSTargetGroup: madeNow(again) };
    again.provision('0.9.0', 'old');
    again.run();
    expect(again.last).toMatchObject(held);
    again.provision('1.0.0', 'a1');
    again.wake();
    again.run();
    expect(weights(again)).toBe('{"a1":50,"a2":50}');
    expect(again.last).toMatchObject(held);
    again.provision('1.0.0', 'a1', 'a2');
    again.wake();
    again.run();
    expect(weights(again)).toBe('{"a1":50,"a2":50}');
    expect(again.settled?.reason).toBe('Serving');
  });
});

/** A rollout at 20, in a pause, with two target groups of the stable version. */
function twoStable(api: 'well' | 'mute' = 'well'): Simulation {
  const web = new Simulation({ updateStrategy: { type: 'Canary', canary } });
  web.isMute = api === 'mute';
  web.provision('1.0.0', 'a1', 'a2');
  web.run();
  web.now += MINUTE;
  web.provision('2.0.0', 'b');
  web.wake();
  web.run();
  expect(weightsOf(web.served)).toEqual({ a1: 40, a2: 40, b: 20 });
  return web;
}

describe('a rollout while a kind is installed again', () => {
  it('goes back to all that served when someone aborts it', () => {
    const web = rollingOut({ updateStrategy: { type: 'Canary', canary } });
    web.run();
    expect(weights(web)).toBe('{"a":80,"b":20}');
    web.definitions = { AWSTargetGroup: DELETED };
    web.groups = [];
    web.wake();
    web.pass(60 * MINUTE);
    expect(weights(web)).toBe('{"a":80,"b":20}');
    expect(web.status).toMatchObject({ phase: 'Paused', reason: 'WaitingForKind' });
    web.ask('pause');
    web.run();
    expect(web.status.rollout?.paused?.by).toBe('ann');
    web.ask('abort');
    web.run();
    expect(weightsOf(web.served)).toMatchObject({ a: 100 });
  });

  it('keeps what is served, and goes back to all that served, when its configuration is deleted as well', () => {
    const web = twoStable();
    web.isKnown = false;
    web.definitions = { AWSTargetGroup: DELETED };
    web.groups = web.groups.slice(0, 1);
    web.wake();
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toEqual({ a1: 40, a2: 40, b: 20 });
    web.ask('abort');
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toMatchObject({ a1: 50, a2: 50 });
  });

  it('goes back to all that served although no status could be written', () => {
    const web = twoStable('mute');
    web.definitions = { AWSTargetGroup: DELETED };
    web.groups = web.groups.slice(0, 1);
    web.wake();
    web.run();
    expect(weightsOf(web.served)).toEqual({ a1: 40, a2: 40, b: 20 });
    web.ask('abort');
    web.run();
    expect(weightsOf(web.served)).toMatchObject({ a1: 50, a2: 50 });
  });

  it.each(['Freeze', 'AccessPolicy'] as const)('waits for %s, as nobody knows what it says', (kind) => {
    const web = rollingOut({ updateStrategy: { type: 'Canary', canary } });
    web.definitions = { [kind]: DELETED };
    web.run();
    expect(weights(web)).toBe('{"a":100}');
    expect(stands(web)).toBe('Waiting WaitingForKind 0');
    web.now += MINUTE;
    web.definitions = { [kind]: madeNow(web) };
    web.pass(2 * MINUTE);
    expect(weights(web)).toBe('{"a":100}');
    web.pass(2 * MINUTE);
    expect(weights(web)).toBe('{"a":80,"b":20}');
  });
});
