import { describe, expect, it } from 'vitest';
import type { CellSpec } from '../../../crds/cell.ts';
import { rollingOut, asked, stands } from '../../testing/rolling-out.ts';
import type { Simulation } from '../../testing/simulation.ts';

const MINUTE = 60_000;
const analysis = { templates: [{ templateName: 'rate' }] };
const background = { ...analysis, startingStep: 0 };

type Canary = NonNullable<NonNullable<CellSpec['updateStrategy']>['canary']>;

/** A rollout whose AnalysisRuns nothing begins. */
function unbegun(canary: Canary, more: Partial<CellSpec> = {}): Simulation {
  const simulation = rollingOut({ settle: '0s', updateStrategy: { type: 'Canary', canary }, ...more });
  simulation.begins = false;
  simulation.run();
  return simulation;
}

/** The controller of Argo Rollouts takes up what was started. */
function begin(simulation: Simulation, more: object = {}): void {
  for (const [name, run] of simulation.runs) simulation.runs.set(name, { ...run, phase: 'Running', ...more });
}

const degraded = ({ status }: Simulation) => {
  const found = status.conditions?.find(({ type }) => type === 'Degraded');
  return found?.status === 'True' ? found.reason : undefined;
};

describe('a rollout without a measurement', () => {
  const ofStep: Canary = { steps: [{ setWeight: 20 }, { analysis }, { setWeight: 60 }] };
  const inBackground: Canary = {
    steps: [{ setWeight: 20 }, { pause: { duration: '1h' } }, { setWeight: 60 }],
    analysis: background,
  };

  it.each([
    ['a step', ofStep, 'WaitingForAnalysis 20'],
    ['the background', inBackground, 'WaitingForPause 20'],
  ])('is Degraded after two minutes of %s, and says where to look', (_, canary, before) => {
    const simulation = unbegun(canary);
    simulation.pass(MINUTE);
    expect([degraded(simulation), stands(simulation)]).toEqual([undefined, expect.stringContaining(before)]);
    simulation.pass(2 * MINUTE);
    expect(degraded(simulation)).toBe('NotMeasured');
    expect(simulation.status.message).toMatch(/controller of Argo Rollouts.*--instance-id/s);
    simulation.pass(600 * MINUTE);
    expect(stands(simulation)).toBe('Progressing NotMeasured 20');
  });

  it.each([
    ['a step', ofStep],
    ['the background', inBackground],
  ])('continues by itself once that of %s begins', (_, canary) => {
    const simulation = unbegun(canary);
    simulation.pass(10 * MINUTE);
    begin(simulation);
    simulation.pass(6 * MINUTE);
    expect(degraded(simulation)).toBeUndefined();
  });

  it.each([
    ['a step', ofStep],
    ['the background', inBackground],
  ])('continues without that of %s when promoted, and ends it', (_, canary) => {
    const simulation = unbegun(canary);
    simulation.pass(10 * MINUTE);
    asked(simulation, 'promote');
    expect(degraded(simulation)).toBeUndefined();
    simulation.pass(120 * MINUTE);
    expect(stands(simulation)).toBe('Completed Serving 100');
    expect([...simulation.runs.values()].map(({ ended }) => ended)).toEqual([true]);
  });

  it('counts against the deadline of the rollout', () => {
    const simulation = unbegun(ofStep, { progressDeadline: '30m' });
    simulation.pass(40 * MINUTE);
    expect(simulation.status.blockedVersions?.map(({ version }) => version)).toEqual(['2.0.0']);
  });

  it('never comes to the whole weight, however short it is', () => {
    const simulation = unbegun({ steps: [{ setWeight: 20 }, { setWeight: 60 }], analysis: background });
    simulation.pass(MINUTE);
    expect(stands(simulation)).toBe('Progressing WaitingForAnalysis 60');
    begin(simulation, { unmeasured: true });
    simulation.pass(30 * MINUTE);
    expect(stands(simulation)).toBe('Progressing WaitingForAnalysis 60');
    begin(simulation, { unmeasured: undefined });
    simulation.pass(10 * MINUTE);
    expect(stands(simulation)).toBe('Completed Serving 100');
  });

  it('comes to the whole weight when someone promotes it in full', () => {
    const simulation = unbegun({ steps: [{ setWeight: 20 }, { pause: {} }], analysis: background });
    asked(simulation, 'promoteFull');
    simulation.pass(MINUTE);
    expect(stands(simulation)).toBe('Completed Serving 100');
  });

  it('does not end a bake in which nothing was measured', () => {
    const bake = { duration: '1m', analysis };
    const simulation = rollingOut({
      settle: '0s',
      updateStrategy: { type: 'Canary', canary: { steps: [] }, bake },
    });
    simulation.begins = false;
    simulation.pass(60 * MINUTE);
    expect(stands(simulation)).toBe('Progressing NotMeasured 100');
    begin(simulation);
    simulation.pass(10 * MINUTE);
    expect(stands(simulation)).toBe('Completed Serving 100');
  });

  it('waits for a Job that says why it has not begun', () => {
    const simulation = unbegun(ofStep);
    begin(simulation, { phase: 'Pending', message: 'It is suspended.' });
    simulation.pass(10 * MINUTE);
    expect(degraded(simulation)).toBeUndefined();
  });
});
