import { describe, expect, it } from 'vitest';
import { verdictFrom } from './analysis.ts';
import { experimentByRuns } from './experiment.ts';

const metric = (more: object = {}) => ({ name: 'smoke', phase: 'Successful', ...more });

describe('a verdict of Argo Rollouts', () => {
  it.each<[string, string, readonly object[], string]>([
    ['with a successful measurement', 'Successful', [metric({ successful: 1, failed: 2 })], 'Successful'],
    ['whose only measurement failed', 'Successful', [metric({ failed: 1 })], 'Inconclusive'],
    ['in which all may be inconclusive', 'Successful', [metric({ inconclusive: 3 })], 'Inconclusive'],
    [
      'in which one of two metrics has none',
      'Successful',
      [metric({ name: 'rate', successful: 5 }), metric({ error: 2, successful: 0 })],
      'Inconclusive',
    ],
    [
      'in which only a dry run has none',
      'Successful',
      [metric({ successful: 1 }), metric({ name: 'trial', dryRun: true, failed: 3 })],
      'Successful',
    ],
    [
      'that a person has set on an inconclusive one',
      'Successful',
      [metric({ phase: 'Inconclusive', inconclusive: 1 })],
      'Successful',
    ],
    ['that failed', 'Failed', [metric({ phase: 'Failed', failed: 2 })], 'Failed'],
  ])('%s is what it is worth', (_, phase, metricResults, expected) => {
    expect(verdictFrom('run', { phase, metricResults }).phase).toBe(expected);
  });

  it('names the metric without a successful measurement', () => {
    expect(verdictFrom('run', { phase: 'Successful', metricResults: [metric()] }).message).toContain(
      'metric smoke has no successful measurement',
    );
  });

  it.each<[string, readonly object[] | undefined, true | undefined]>([
    ['nothing', undefined, true],
    ['a failure', [metric({ phase: 'Running', failed: 1 })], true],
    ['a success', [metric({ phase: 'Running', successful: 1 })], undefined],
    ['a dry run alone', [metric({ phase: 'Running', dryRun: true, failed: 1 })], undefined],
  ])('of a run that has measured %s so far', (_, metricResults, unmeasured) => {
    expect(verdictFrom('run', { phase: 'Running', metricResults }).unmeasured).toBe(unmeasured);
  });
});

describe('a successful Experiment', () => {
  const good = { name: 'e', phase: 'Successful', message: '' } as const;
  it.each([
    ['without analyses', [], 'Successful', ''],
    [
      'with a measured analysis',
      [{ name: 'a', metricResults: [metric({ successful: 1 })] }],
      'Successful',
      '',
    ],
    [
      'with a metric that never succeeded',
      [{ name: 'a', metricResults: [metric({ failed: 1 })] }],
      'Inconclusive',
      'metric smoke of AnalysisRun a',
    ],
    [
      'with an analysis that measured nothing',
      [{ name: 'a' }],
      'Inconclusive',
      'AnalysisRun a has no measurement',
    ],
  ])('%s is worth what was measured', (_, runs, phase, message) => {
    const verdict = experimentByRuns(good, runs);
    expect([verdict.phase, verdict.message]).toEqual([phase, expect.stringContaining(message)]);
  });
});
