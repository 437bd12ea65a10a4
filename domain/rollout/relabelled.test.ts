import { describe, expect, it } from 'vitest';
import { arnOf, weightsOf } from '../testing/builders.ts';
import { rollingOut } from '../testing/rolling-out.ts';
import type { Simulation } from '../testing/simulation.ts';

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
    for (const { shift } of web.writes.filter((write) => write.shift.purpose === 'TakeBack'))
      expect(weightsOf(shift.shares)).toMatchObject({ a: 50, a2: 50 });
    expect(weightsOf(web.served)).toMatchObject({ a: 50, a2: 50 });
  });
});
