import { describe, expect, it } from 'vitest';
import type { CanaryStep } from '../../../crds/cell.ts';
import { asked, rollingOut, stands } from '../../testing/rolling-out.ts';
import type { Simulation } from '../../testing/simulation.ts';
import { markVerdictDue } from '../record/measurement.ts';

const MINUTE = 60_000;
const freeze = { name: 'all', by: 'ops', reason: 'Friday.' };
const strategy = (onFailure: 'Hold' | 'Rollback', template: string, steps: CanaryStep[]) => ({
  type: 'Canary' as const,
  canary: {
    onFailure,
    steps,
    ...(template === '' ? {} : { analysis: { startingStep: 0, templates: [{ templateName: template }] } }),
  },
});

/** A rollout of 2.0.0 that has come as far as it does by itself in some minutes, with an analysis in the background. */
function rolling(onFailure: 'Hold' | 'Rollback', steps: CanaryStep[], minutes: number): Simulation {
  const simulation = rollingOut({ settle: '10m', updateStrategy: strategy(onFailure, 'rate', steps) });
  simulation.pass(minutes * MINUTE);
  return simulation;
}

function edit(
  simulation: Simulation,
  onFailure: 'Hold' | 'Rollback',
  steps: CanaryStep[],
  template = 'other',
  minutes = 60,
): void {
  simulation.edit((spec) => ({ ...spec, updateStrategy: strategy(onFailure, template, steps) }));
  simulation.wake();
  simulation.pass(minutes * MINUTE);
}

const half: CanaryStep[] = [{ setWeight: 50 }];
const paused: CanaryStep[] = [{ setWeight: 5 }, { pause: {} }, { setWeight: 80 }];

describe('an edit of the analysis in the background once no steps are left', () => {
  const cases = [
    ['Rollback', 'Inconclusive', 'Paused WaitingForVerdict 100'],
    ['Hold', 'Failed', 'Paused AnalysisFailed 100'],
  ] as const;
  it.each(cases)('does not let a rollout continue that it holds (%s, %s)', (onFailure, phase, held) => {
    const simulation = rolling(onFailure, half, 11);
    expect(stands(simulation)).toBe('Progressing WaitingForSettle 100');
    simulation.conclude(phase, 'inBackground');
    simulation.run();
    expect(stands(simulation)).toBe(held);
    edit(simulation, onFailure, half);
    expect(stands(simulation)).toBe(held);
    expect(asked(simulation, 'promote')).toBe('Completed Serving 100');
  });

  it('keeps the verdict that it has when one more weight is added that was passed already', () => {
    const simulation = rolling('Hold', half, 11);
    simulation.conclude('Failed', 'inBackground');
    edit(simulation, 'Hold', [{ setWeight: 20 }, ...half]);
    expect(stands(simulation)).toBe('Paused AnalysisFailed 100');
  });

  it('ends none that measures, whose failure takes everything back', () => {
    const simulation = rolling('Rollback', paused, 1);
    simulation.freezes = [freeze];
    expect(asked(simulation, 'promoteFull')).toBe('Paused WaitingForFreeze 5');
    edit(simulation, 'Rollback', paused);
    expect([...simulation.runs.values()].map(({ phase }) => phase)).toEqual(['Running']);
    simulation.conclude('Failed', 'inBackground');
    simulation.run();
    expect(stands(simulation)).toBe('Reverted VersionBlocked 0');
  });

  it('starts the new one once a later edit adds an approval', () => {
    const simulation = rolling('Rollback', half, 11);
    simulation.conclude('Successful', 'inBackground');
    edit(simulation, 'Rollback', half, 'other', 1);
    expect(stands(simulation)).toBe('Progressing WaitingForSettle 100');
    edit(simulation, 'Rollback', [...half, { approval: { groups: ['release'], count: 1 } }], 'other', 1);
    expect([...simulation.runs.values()].map(({ phase }) => phase)).toEqual(['Successful', 'Running']);
  });

  it('lets the rollout continue where there is to be none any more', () => {
    const simulation = rolling('Hold', half, 11);
    simulation.conclude('Failed', 'inBackground');
    edit(simulation, 'Hold', half, '');
    expect(stands(simulation)).toBe('Completed Serving 100');
  });
});

describe('an edit of the analysis in the background while steps are left', () => {
  it('starts the new one, though the old one holds the rollout', () => {
    const simulation = rolling('Hold', paused, 1);
    simulation.conclude('Failed', 'inBackground');
    edit(simulation, 'Hold', paused);
    expect(stands(simulation)).toBe('Paused WaitingForResume 5');
    expect([...simulation.runs.values()].map(({ phase }) => phase)).toEqual(['Failed', 'Running']);
  });
});

describe('an analysis in the background that someone continues without', () => {
  it.each(['Rollback', 'Hold'] as const)('may be deleted afterwards (%s)', (onFailure) => {
    const simulation = rolling(onFailure, paused, 11);
    simulation.conclude('Inconclusive', 'inBackground');
    simulation.run();
    expect(asked(simulation, 'promote')).toBe('Paused WaitingForResume 5');
    simulation.runs.clear();
    simulation.state = markVerdictDue(simulation.state);
    simulation.pass(120 * MINUTE);
    expect(asked(simulation, 'promote')).toBe('Progressing WaitingForSettle 80');
    simulation.pass(120 * MINUTE);
    expect(stands(simulation)).toBe('Completed Serving 100');
  });
});
