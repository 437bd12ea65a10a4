import { describe, expect, it } from 'vitest';
import { weightsOf } from '../../testing/builders.ts';
import { rollingOut, stands } from '../../testing/rolling-out.ts';
import { Simulation } from '../../testing/simulation.ts';

const SECOND = 1_000;
const canary = { steps: [{ setWeight: 20 }, { pause: {} }, { setWeight: 60 }] };

function serving(): Simulation {
  const web = new Simulation({ updateStrategy: { type: 'Canary', canary } });
  web.provision('1.0.0', 'a', 'b');
  web.pass(60 * SECOND);
  return web;
}

function remove(web: Simulation, ...names: readonly string[]): void {
  web.groups = web.groups.filter(({ name }) => !names.includes(name));
  web.wake();
  web.run();
}

describe('a selected target group that vanishes', () => {
  it('leaves after ten seconds, without a message', () => {
    const web = serving();
    remove(web, 'b');
    web.pass(9 * SECOND);
    expect(weightsOf(web.served)).toEqual({ a: 50, b: 50 });
    expect(web.last).toMatchObject({ do: 'Wait', for: 'Removal', settled: { reason: 'Serving' } });
    expect(web.last.message).toContain('No selected AWSTargetGroup names b any more.');
    web.pass(SECOND);
    expect(weightsOf(web.served)).toEqual({ a: 100 });
  });

  it('moves nothing when it returns within that time', () => {
    const web = serving();
    const writes = web.writes.length;
    remove(web, 'b');
    web.pass(5 * SECOND);
    web.provision('1.0.0', 'b');
    web.wake();
    web.pass(60 * SECOND);
    expect(web.writes).toHaveLength(writes);
    expect(stands(web)).toContain('Completed Serving');
  });

  it('waits for others that vanish after it, as when all objects of the kind are deleted', () => {
    const web = serving();
    web.provision('0.9.0', 'old');
    web.wake();
    web.run();
    for (const name of ['a', 'b']) {
      remove(web, name);
      web.pass(8 * SECOND);
    }
    expect(weightsOf(web.served)).toEqual({ a: 50, b: 50 });
    remove(web, 'old');
    web.pass(60 * SECOND);
    // Nothing is left that could serve instead.
    expect(weightsOf(web.served)).toEqual({ a: 50, b: 50 });
    expect(stands(web)).toContain('TargetGroupsGone');
  });

  it.each(['renewed', 'lost'])('is not forgotten by a run that is %s', (how) => {
    const web = serving();
    remove(web, 'b');
    web.pass(5 * SECOND);
    if (how === 'lost') web.loseTemporal();
    else web.renew();
    web.run();
    expect(weightsOf(web.served)).toEqual({ a: 50, b: 50 });
    web.pass(how === 'lost' ? 10 * SECOND : 5 * SECOND);
    expect(weightsOf(web.served)).toEqual({ a: 100 });
  });

  it('holds what goes forward, and not an abort, which goes back to all that served', () => {
    const web = rollingOut({ updateStrategy: { type: 'Canary', canary } });
    web.run();
    remove(web, 'a');
    web.ask('resume');
    web.run();
    expect(weightsOf(web.served)).toEqual({ a: 80, b: 20 });
    web.ask('abort');
    web.run();
    expect(weightsOf(web.served)).toMatchObject({ a: 100 });
  });
});
