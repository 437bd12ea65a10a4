import { describe, expect, it } from 'vitest';
import type { CellSpec, CellStatus } from '../../crds/cell.ts';
import { decide } from './decide.ts';
import { lostRunRead } from './record-lost.ts';
import { initialState } from '../model/state.ts';
import { aCell, weightsOf } from '../testing/builders.ts';
import { Simulation } from '../testing/simulation.ts';

const NOW = Date.UTC(2026, 10, 20);
const rollout = { id: 'r1', startedAt: '2026-01-01T00:00:00Z', workflowId: 'cell/default/web', runId: 'r' };
type Canary = NonNullable<NonNullable<CellSpec['updateStrategy']>['canary']>;
const running = { name: 'web-1-rate-r1', phase: 'Running', message: '' } as const;

/** What is done next, at rest, for a Cell whose run was lost during a rollout. */
function atRest(status: Partial<CellStatus>, canary: Canary = {}): string {
  const observed = aCell()
    .withSpec({ updateStrategy: { type: 'Canary', canary } })
    .withGroups('1.0.0', 'a')
    .serving({ a: 100 })
    .withStatus({ stableVersion: '1.0.0', rollout, ...status })
    .seen();
  const { cell } = observed;
  if (cell === undefined) throw new Error('Expected a Cell.');
  return decide(observed, lostRunRead(initialState, cell, { is: 'Unknown' }, NOW), NOW).do;
}

describe('a run that has left a rollout behind', () => {
  it.each<[string, Partial<CellStatus>]>([
    ['an analysis', { analysisRun: running }],
    ['an analysis in the background', { backgroundAnalysisRun: running }],
    ['an experiment', { experiment: running }],
    ['a check', { check: running }],
    ['a job', { job: running }],
  ])('and %s has what measures still ended, at rest', (_, status) => {
    expect(atRest(status)).toBe('Prune');
  });

  const analysis = { templates: [{ templateName: 'rate' }] };
  it.each<[string, Canary]>([
    ['a step', { steps: [{ analysis }] }],
    ['the background', { analysis: { ...analysis, startingStep: 0 } }],
  ])('and may have measured in %s before it was lost once before has it ended, too', (_, canary) => {
    expect(atRest({}, canary)).toBe('Prune');
  });

  it('and measures nothing has nothing to end', () => expect(atRest({})).toBe('Close'));
});

describe('a lower version that is pinned while a lost run has left a rollout behind', () => {
  it('is rolled back to once, and stays', () => {
    const simulation = new Simulation();
    const add = (version: string, name: string): void => {
      simulation.provision(version, name);
      simulation.wake();
      simulation.run();
    };
    add('2.0.0', 'a');
    simulation.refusals = 1;
    add('2.1.0', 'b');
    simulation.isBlind = true;
    simulation.loseTemporal({ is: 'Unknown' });
    simulation.provision('1.0.0', 'c');
    simulation.edit((spec) => ({ ...spec, version: '1.0.0' }));
    simulation.isBlind = false;
    simulation.wake();
    simulation.pass(86_400_000);
    const moved = simulation.writes.filter(({ shift }) => shift.purpose === 'RollBack');
    expect(moved).toHaveLength(1);
    expect(weightsOf(simulation.served)).toEqual({ c: 100 });
    expect(simulation.status.stableVersion).toBe('1.0.0');
    expect(simulation.status.rollout).toBeUndefined();
  });
});
