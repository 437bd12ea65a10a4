import { describe, expect, it } from 'vitest';
import type { CanaryStep, CellSpec } from '../../../crds/cell.ts';
import { weightsOf } from '../../testing/builders.ts';
import { rollingOut } from '../../testing/rolling-out.ts';
import type { Simulation } from '../../testing/simulation.ts';
import { markVerdictDue } from '../record/measurement.ts';

const MINUTE = 60_000;
const analysis = { templates: [{ templateName: 'rate' }] };
const experiment = { duration: '10m', templates: [{ name: 'wy', specRef: 'wy', replicas: 1 }] };
type Strategy = NonNullable<CellSpec['updateStrategy']>;

function rolling(updateStrategy: Strategy): Simulation {
  const web = rollingOut({ updateStrategy });
  web.run();
  return web;
}

function edited(web: Simulation, updateStrategy: Strategy): void {
  web.edit((spec) => ({ ...spec, updateStrategy }));
  web.wake();
  web.run();
}

describe('what was ended early, and is waited for all the same', () => {
  it.each<[string, CanaryStep]>([
    ['an analysis', { analysis }],
    ['an experiment', { experiment }],
  ])('is %s of a step that was edited and edited back, whose end was lost: it holds', (_, step) => {
    const steps = [{ setWeight: 50 }, step, { setWeight: 80 }];
    const before: Strategy = { type: 'Canary', canary: { steps } };
    const web = rolling(before);
    web.lostEnds = 1;
    edited(web, { type: 'Canary', canary: { steps: [...steps, { pause: {} }] } });
    expect(web.last).toMatchObject({ do: 'Wait', for: 'Backoff' });
    edited(web, before);
    web.pass(10 * MINUTE);
    expect(web.last).toMatchObject({ do: 'Wait', for: 'Verdict' });
    expect(weightsOf(web.served)).toEqual({ a: 50, b: 50 });
    web.ask('retry');
    web.run();
    web.conclude('Successful');
    web.run();
    expect(weightsOf(web.served)).toEqual({ a: 0, b: 100 });
  });

  it('is an analysis in the background: it holds', () => {
    const steps = [{ setWeight: 50 }, { pause: { duration: '1h' } }, { setWeight: 80 }];
    const watched = { ...analysis, startingStep: 0 };
    const web = rolling({ type: 'Canary', canary: { steps, analysis: watched } });
    web.lostEnds = 1;
    edited(web, { type: 'Canary', canary: { steps, analysis: { ...watched, startingStep: 1 } } });
    edited(web, { type: 'Canary', canary: { steps, analysis: watched } });
    web.pass(90 * MINUTE);
    expect(web.last).toMatchObject({ do: 'Wait', for: 'Verdict' });
    expect(weightsOf(web.served)).toEqual({ a: 50, b: 50 });
  });
});

describe('what was ended because nothing is left to be watched', () => {
  /** The watchers tell that it has ended, before its end is tried again. */
  function told(web: Simulation): void {
    expect(web.last).toMatchObject({ do: 'Wait', for: 'Backoff' });
    web.state = markVerdictDue(web.state);
    web.run();
    web.pass(MINUTE);
  }

  it('holds no rollout that has taken all steps', () => {
    const steps = [{ setWeight: 50 }, { pause: { duration: '1m' } }];
    const web = rolling({ type: 'Canary', canary: { steps, analysis: { ...analysis, startingStep: 0 } } });
    web.lostEnds = 1;
    web.pass(MINUTE);
    told(web);
    expect(web.settled).toMatchObject({ do: 'Close', outcome: 'Completed' });
  });

  it('holds no bake', () => {
    const canary = { steps: [{ setWeight: 50 }] };
    const web = rolling({ type: 'Canary', canary, bake: { duration: '1h', analysis } });
    web.lostEnds = 1;
    web.pass(60 * MINUTE);
    told(web);
    expect(web.settled).toMatchObject({ do: 'Close', outcome: 'Completed' });
  });
});
