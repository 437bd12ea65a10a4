import { describe, expect, it } from 'vitest';
import type { AnalysisPhase, AnalysisVerdict } from '../measure/analysis.ts';
import { decide } from '../decide/decide.ts';
import { recordVerdict, markVerdictDue } from './measurement.ts';
import { takeRequest } from '../../model/requests.ts';
import { initialState, type RolloutState } from '../../model/state.ts';
import { aCell, aRollout } from '../../testing/builders.ts';
import { labelOf } from '../../testing/label.ts';
import { parseStep } from '../../steps/index.ts';

const NOW = 1_000_000;
const analysis = { templates: [{ templateName: 'success-rate' }] };
const starting: RolloutState = {
  ...initialState,
  rollout: aRollout({ steps: [{ analysis }].map(parseStep) }),
};
const seen = aCell()
  .withSteps({ analysis })
  .withGroups('1.0.0', 'a')
  .withGroups('2.0.0', 'b')
  .serving({ a: 100, b: 0 })
  .withStatus({ stableVersion: '1.0.0' })
  .seen();
const starts = { do: 'StartMeasurement', kind: 'AnalysisRun' } as const;
const reading = { do: 'ReadMeasurement', kind: 'AnalysisRun', name: 'run' } as const;
const analysed = (state: RolloutState, said: AnalysisVerdict, now: number) =>
  recordVerdict(state, state.hasMeasured === true ? reading : starts, said, now);
const verdict = (phase: AnalysisPhase) => ({ name: 'run', phase, message: '' });

describe('the answer about an AnalysisRun', () => {
  const word = markVerdictDue(analysed(starting, verdict('Inconclusive'), NOW));

  it('tells nothing of the one that someone has asked for since', () => {
    const retried = takeRequest(word, 'retry', { by: 'ann', reason: '', at: NOW });
    const read = analysed(retried, verdict('Inconclusive'), NOW);
    expect(read.rollout?.progress).toEqual({ is: 'Ready' });
    expect(labelOf(decide(seen, read, NOW))).toBe('Start AnalysisRun');
    const begun = recordVerdict(read, starts, { ...verdict('Running'), name: 'run-1' }, NOW);
    expect(recordVerdict(begun, reading, verdict('Failed'), NOW).rollout).toEqual(begun.rollout);
    // What has ended may be the new one.
    expect(begun.rollout?.progress).toMatchObject({ readAt: 0 });
  });

  it('tells nothing of the one in the background that someone has asked for since', () => {
    const behind = { ...starts, background: 'bg' } as const;
    const before = recordVerdict(starting, behind, verdict('Inconclusive'), NOW);
    const retried = takeRequest(before, 'retry', { by: 'ann', reason: '', at: NOW });
    const follow = { ...reading, background: 'bg' } as const;
    expect(recordVerdict(retried, follow, verdict('Failed'), NOW).rollout?.background).toBeUndefined();
    const begun = recordVerdict(retried, behind, { ...verdict('Running'), name: 'run-1' }, NOW);
    expect(recordVerdict(begun, follow, verdict('Failed'), NOW).rollout).toEqual(begun.rollout);
  });
});

describe('the verdict of an analysis', () => {
  it('that comes while the analysis is being started is read at once', () => {
    const state = analysed(markVerdictDue(starting), verdict('Pending'), NOW);
    expect(labelOf(decide(seen, state, NOW))).toBe('Read AnalysisRun');
  });

  it('is read once for one word', () => {
    const state = analysed(
      analysed(markVerdictDue(starting), verdict('Pending'), NOW),
      verdict('Running'),
      NOW,
    );
    expect(decide(seen, state, NOW)).toMatchObject({ do: 'Wait', for: 'Analysis' });
  });

  it('is read at once when the word comes while it is waited for', () => {
    const state = markVerdictDue(analysed(starting, verdict('Running'), NOW));
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
