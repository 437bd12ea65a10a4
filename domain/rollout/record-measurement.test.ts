import { describe, expect, it } from 'vitest';
import type { AnalysisVerdict } from './analysis.ts';
import { decide } from './decide.ts';
import { measured, verdictExpected } from './record-measurement.ts';
import { initialState, type RolloutState } from '../model/state.ts';
import { aCell, arnOf } from '../testing/builders.ts';
import { labelOf } from '../testing/label.ts';
import { parseStep } from '../steps/index.ts';

const NOW = 1_000_000;
const analysis = { templates: [{ templateName: 'success-rate' }] };
const set = (version: string, name: string) => ({ version, groups: [{ name, arn: arnOf(name) }] });
const starting: RolloutState = {
  ...initialState,
  rollout: {
    id: 'r1',
    startedAt: 0,
    stable: set('1.0.0', 'a'),
    canary: set('2.0.0', 'b'),
    steps: [{ analysis }].map(parseStep),
    index: 0,
    progress: { is: 'Ready' },
  },
};
const seen = aCell()
  .withSteps({ analysis })
  .withGroups('1.0.0', 'a')
  .withGroups('2.0.0', 'b')
  .serving({ a: 100, b: 0 })
  .withStatus({ stableVersion: '1.0.0' })
  .seen();
const reading = { do: 'ReadMeasurement', kind: 'AnalysisRun' } as const;
const analysed = (state: RolloutState, said: AnalysisVerdict, now: number) =>
  measured(state, reading, said, now);
const verdict = (phase: 'Pending' | 'Running' | 'Failed') => ({ name: 'run', phase, message: '' });

describe('the verdict of an analysis', () => {
  it('that comes while the analysis is being started is read at once', () => {
    const state = analysed(verdictExpected(starting), verdict('Pending'), NOW);
    expect(labelOf(decide(seen, state, NOW))).toBe('Read AnalysisRun');
  });

  it('is read once for one word', () => {
    const state = analysed(
      analysed(verdictExpected(starting), verdict('Pending'), NOW),
      verdict('Running'),
      NOW,
    );
    expect(decide(seen, state, NOW)).toMatchObject({ do: 'Wait', for: 'Analysis' });
  });

  it('is read at once when the word comes while it is waited for', () => {
    const state = verdictExpected(analysed(starting, verdict('Running'), NOW));
    expect(labelOf(decide(seen, state, NOW))).toBe('Read AnalysisRun');
  });

  it('is read without a word after a time that grows', () => {
    const waits = [0, 1, 2, 9].map((more) => {
      let state = analysed(starting, verdict('Running'), NOW);
      for (let read = 0; read < more; read += 1) state = analysed(state, verdict('Running'), NOW);
      const decision = decide(seen, state, NOW);
      return decision.do === 'Wait' ? (decision.until ?? 0) - NOW : decision.do;
    });
    expect(waits).toEqual([30_000, 300_000, 600_000, 600_000]);
  });
});
