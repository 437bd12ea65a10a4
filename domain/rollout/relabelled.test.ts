import { describe, expect, it } from 'vitest';
import { arnOf, weightsOf } from '../testing/builders.ts';
import { rollingOut } from '../testing/rolling-out.ts';
import type { Simulation } from '../testing/simulation.ts';
import { isUrgent } from '../model/shift-purpose.ts';

const MINUTE = 60_000;

/** A rollout of 2.0.0 that waits at 5, and then someone edits the label of the stable group. */
function relabelled(version: string, then: (web: Simulation) => void = () => undefined): Simulation {
  const steps = [{ setWeight: 5 }, { pause: {} }, { setWeight: 20 }, { pause: {} }];
  const web = rollingOut({ updateStrategy: { type: 'Canary', canary: { steps } } });
  web.provision('0.9.0', 'o');
  web.wake();
  web.run();
  then(web);
  web.groups = web.groups.map((group) => (group.name === 'a' ? { ...group, version } : group));
  web.wake();
  web.pass(MINUTE);
  return web;
}

describe('a stable group whose label is edited in a rollout', () => {
  it.each([
    ['no version any more', '1.0.x'],
    ['a lower version', '0.5.0'],
    ['the version that is on its way', '2.0.0'],
  ])('keeps its weight, as it is the last of its side: %s', (_, version) => {
    const web = relabelled(version);
    expect(weightsOf(web.served)).toEqual({ a: 95, b: 5 });
    web.ask('resume');
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toEqual({ a: 80, b: 20 });
  });

  it('keeps its weight while an operator has paused the rollout', () =>
    expect(weightsOf(relabelled('1.0.x', (web) => web.ask('pause')).served)).toEqual({ a: 95, b: 5 }));

  it('gets everything back', () => {
    const web = relabelled('1.0.x');
    web.ask('abort');
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toEqual({ a: 100, b: 0 });
  });

  it('gets nothing as what it was once it has no weight and is another version', () => {
    const whole = [{ setWeight: 100 }, { pause: {} }];
    const web = rollingOut({ updateStrategy: { type: 'Canary', canary: { steps: whole } } });
    web.run();
    expect(weightsOf(web.served)).toEqual({ a: 0, b: 100 });
    web.unhealthy.add(arnOf('a'));
    web.groups = web.groups.map((group) => (group.name === 'a' ? { ...group, version: '3.0.0' } : group));
    web.wake();
    web.pass(MINUTE);
    expect(weightsOf(web.served)['b']).toBe(100);
  });

  it('gets everything back from the whole weight when it claims no version', () => {
    const whole = [{ setWeight: 100 }, { pause: {} }];
    const web = rollingOut({ updateStrategy: { type: 'Canary', canary: { steps: whole } } });
    web.run();
    web.groups = web.groups.map((group) => (group.name === 'a' ? { ...group, version: 'latest' } : group));
    web.ask('abort');
    web.wake();
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toEqual({ a: 100, b: 0 });
  });
});

describe('a stable group whose label is put right again after the run was lost', () => {
  it('is one of those that get everything back', () => {
    const web = rollingOut({
      updateStrategy: { type: 'Canary', canary: { steps: [{ setWeight: 20 }, { pause: {} }] } },
    });
    web.provision('1.0.0', 'a', 'a2');
    web.wake();
    web.served = web.told = [
      { name: 'a', arn: arnOf('a'), weight: 40 },
      { name: 'a2', arn: arnOf('a2'), weight: 40 },
      { name: 'b', arn: arnOf('b'), weight: 20 },
    ];
    web.run();
    web.groups = web.groups.map((group) => (group.name === 'a' ? { ...group, version: '1.1.0' } : group));
    web.freezes = [{ name: 'all', by: 'ops', reason: 'Friday.' }];
    web.loseTemporal();
    web.wake();
    web.run();
    web.provision('1.0.0', 'a');
    web.wake();
    web.run();
    web.ask('abort');
    web.pass(MINUTE);
    for (const { shift } of web.writes.filter((write) => write.shift.purpose === 'Reverting'))
      expect(weightsOf(shift.shares)).toMatchObject({ a: 50, a2: 50 });
    expect(weightsOf(web.served)).toMatchObject({ a: 50, a2: 50 });
  });
});

describe('a canary whose label names an older version, once the stable version is deleted', () => {
  const edit = (web: Simulation, groups: Simulation['groups']): void => {
    web.groups = groups;
    web.wake();
    web.pass(MINUTE);
  };
  const claiming = (web: Simulation, name: string): Simulation['groups'] =>
    web.groups.map((group) => (group.name === name ? { ...group, version: '0.9.0' } : group));

  /** 2.0.0 by b and c waits at 50 beside a; o of 0.9.0 is there too, without a healthy target. */
  function paused(): Simulation {
    const steps = [{ setWeight: 50 }, { pause: {} }];
    const web = rollingOut({ updateStrategy: { type: 'Canary', canary: { steps } } });
    web.provision('2.0.0', 'b', 'c');
    web.provision('0.9.0', 'o');
    web.unhealthy.add(arnOf('o'));
    web.wake();
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toEqual({ a: 50, b: 25, c: 25 });
    return web;
  }

  it('keeps everything that it carries, and the others join when they are healthy', () => {
    const web = paused();
    edit(
      web,
      web.groups.filter(({ name }) => name !== 'a'),
    );
    expect(weightsOf(web.served)).toEqual({ b: 50, c: 50 });
    web.groups = claiming(web, 'b');
    edit(web, claiming(web, 'c'));
    expect(weightsOf(web.served)).toEqual({ b: 50, c: 50, o: 0 });
    expect(web.writes.filter(({ shift }) => isUrgent(shift))).toEqual([]);
    web.unhealthy.clear();
    web.pass(MINUTE);
    expect(weightsOf(web.served)).toEqual({ b: 33, c: 33, o: 34 });
  });

  it('gets nothing when everything goes back to that version before its targets are healthy', () => {
    const web = paused();
    web.unhealthy.add(arnOf('c'));
    edit(
      web,
      web.groups.filter(({ name }) => name !== 'a'),
    );
    expect(weightsOf(web.served)).toEqual({ a: 50, b: 25, c: 25 });
    edit(web, claiming(web, 'c'));
    expect(web.writes.find(({ shift }) => shift.purpose === 'Reverting')).toBeUndefined();
    expect(web.status.reason).toBe('NoHealthyTargets');
    web.unhealthy.clear();
    web.pass(MINUTE);
    const back = web.writes.find(({ shift }) => shift.purpose === 'Reverting');
    expect(weightsOf(back?.shift.shares ?? [])).toEqual({ b: 0, c: 0, o: 100 });
  });

  it('gives everything up when it has failed', () => {
    const web = paused();
    edit(
      web,
      web.groups.filter(({ name }) => name !== 'a'),
    );
    web.refusals = 1;
    web.ask('abort');
    web.run();
    web.groups = claiming(web, 'b');
    edit(web, claiming(web, 'c'));
    for (const { shift } of web.writes.filter((write) => write.shift.purpose === 'Reverting'))
      expect(weightsOf(shift.shares)).toEqual({ b: 0, c: 0, o: 100 });
  });
});
