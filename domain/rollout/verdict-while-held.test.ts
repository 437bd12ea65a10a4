import { describe, expect, it } from 'vitest';
import type { CellSpec } from '../../crds/cell.ts';
import { weightsOf } from '../testing/builders.ts';
import { rollingOut, stands } from '../testing/rolling-out.ts';
import type { Simulation } from '../testing/simulation.ts';

type Canary = NonNullable<NonNullable<CellSpec['updateStrategy']>['canary']>;

const HOUR = 3_600_000;
const freeze = { name: 'all', by: 'ops', reason: 'Friday.' };
const analysis = { templates: [{ templateName: 'rate' }] };
const steps = [{ setWeight: 20 }, { analysis }, { setWeight: 50 }];

/** A rollout of 2.0.0 that has come to the step after weight 20. */
function rolling(canary: Canary): Simulation {
  const simulation = rollingOut({ settle: '0s', updateStrategy: { type: 'Canary', canary } });
  simulation.pass(60_000);
  expect(weightsOf(simulation.served)).toMatchObject({ b: 20 });
  return simulation;
}

function edited(simulation: Simulation, change: (spec: CellSpec) => void): void {
  simulation.edit((spec) => {
    const copy = structuredClone(spec);
    change(copy);
    return copy;
  });
  simulation.wake();
  simulation.run();
}

/** An edit of the rule, which waits for the Freeze. */
function frozen(simulation: Simulation): void {
  simulation.freezes = [freeze];
  edited(simulation, ({ ingress }) => {
    const { listener } = ingress.awsApplicationLoadBalancer ?? {};
    if (listener !== undefined) listener.rule.hosts = ['other.example.com'];
  });
  expect(simulation.status.reason).toBe('WaitingForFreeze');
}

/** The weight of 2.0.0, and the versions that are blocked. */
const takenBack = ({ served, status }: Simulation): readonly unknown[] => [
  weightsOf(served)['b'] ?? 0,
  status.blockedVersions?.map(({ version }) => version),
];

describe('a step that comes to an end which takes everything back, while something else holds the rollout', () => {
  it('is heeded while an edit of the rule waits for a Freeze', () => {
    const simulation = rolling({ steps });
    frozen(simulation);
    simulation.conclude('Failed');
    simulation.pass(10 * HOUR);
    expect(takenBack(simulation)).toEqual([0, ['2.0.0']]);
  });

  it('is heeded while what measures in the background is inconclusive', () => {
    const simulation = rolling({ steps, analysis: { ...analysis, startingStep: 0 } });
    simulation.conclude('Inconclusive', 'inBackground');
    simulation.run();
    simulation.conclude('Failed');
    simulation.pass(10 * HOUR);
    expect(takenBack(simulation)).toEqual([0, ['2.0.0']]);
  });

  it('is heeded while what measures in the background cannot be started', () => {
    const simulation = rolling({ steps, analysis: { ...analysis, startingStep: 0 } });
    simulation.lacksTemplatesInBackground = true;
    edited(simulation, ({ updateStrategy }) => {
      const background = updateStrategy?.canary?.analysis;
      if (background !== undefined) background.templates = [{ templateName: 'typo' }];
    });
    simulation.conclude('Failed');
    simulation.pass(10 * HOUR);
    expect(takenBack(simulation)).toEqual([0, ['2.0.0']]);
  });

  it('is heeded when it is an approval that nobody gives in time', () => {
    const simulation = rolling({
      steps: [
        { setWeight: 20 },
        { approval: { groups: ['ops'], count: 1, timeout: '1h' } },
        { setWeight: 50 },
      ],
    });
    frozen(simulation);
    simulation.pass(10 * HOUR);
    expect(weightsOf(simulation.served)).toMatchObject({ b: 0 });
  });

  it.each([
    ['of a step', { steps }],
    [
      'in the background',
      { steps: [{ setWeight: 20 }, { pause: {} }], analysis: { ...analysis, startingStep: 0 } },
    ],
  ])('is heeded %s while the Cell cannot be looked at', (_, canary) => {
    const simulation = rolling(canary);
    simulation.isBlind = true;
    simulation.wake();
    simulation.run();
    simulation.conclude('Failed');
    simulation.pass(HOUR);
    expect(weightsOf(simulation.served)).toMatchObject({ b: 0 });
  });

  it('continues with nothing that holds it when it succeeds', () => {
    const simulation = rolling({ steps });
    frozen(simulation);
    simulation.conclude('Successful');
    simulation.pass(10 * HOUR);
    expect(stands(simulation)).toBe('Paused WaitingForFreeze 20');
  });
});
