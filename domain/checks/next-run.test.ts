import { describe, expect, it } from 'vitest';
import type { CheckStatus } from '../../crds/check.ts';
import { anAnalysis } from '../testing/checks.ts';
import { identityOf, nextRun } from './next-run.ts';
import { measuredStatus, resultOf } from './status.ts';

const START = 1_800_000_000_000;
const identity = { digest: 'one', hash: 'somehash' };

describe('a Check', () => {
  const analysis = anAnalysis({ max: 1, count: 1, interval: '10s' });
  const spec = { analysis };

  /** The status after a sample of this outcome at the start. */
  function after(outcome: 'Passed' | 'Failed', of = identity): CheckStatus {
    const next = nextRun({ spec }, of, START);
    if (next.is !== 'Measure') throw new Error(next.is);
    const sample = { outcome, value: 0.05, threshold: 'max 1', message: '' };
    const result = resultOf(sample, { window: next.window, query: 'q', now: START });
    return measuredStatus(
      { analysis, before: {}, generation: 1, identity: of, now: START },
      next.counts,
      sample,
      result,
    );
  }

  it('is measured at once, and then not before the interval is over', () => {
    const endless = { analysis: anAnalysis({ max: 1, interval: '10s' }) };
    const status = { ...after('Passed'), phase: 'Running' as const };
    expect(nextRun({ spec: endless, status }, identity, START + 8_000)).toMatchObject({
      is: 'Wait',
      until: START + 9_000,
    });
    expect(nextRun({ spec: endless, status }, identity, START + 9_500)).toMatchObject({
      is: 'Measure',
      isNew: false,
    });
  });

  it('says whether the last sample passed, when, and of which query', () => {
    expect(after('Passed')).toMatchObject({
      lastPassed: true,
      lastRunTime: '2027-01-15T08:00:00.000Z',
      phase: 'Successful',
      analysis: { observedHash: 'somehash', results: [{ value: 0.05, query: 'q', threshold: 'max 1' }] },
    });
    expect(after('Failed')).toMatchObject({ lastPassed: false, phase: 'Failed' });
  });

  it('that has come to a verdict is over', () =>
    expect(nextRun({ spec, status: after('Passed') }, identity, START + 60_000)).toEqual({ is: 'Over' }));

  it.each([
    ['its analysis was edited', { digest: 'two', hash: 'somehash' }],
    ['its annotation was changed', { digest: 'one', hash: 'otherhash' }],
  ])('is measured again when %s, and claims the hash only then', (_, edited) => {
    const status = after('Passed');
    const next = nextRun({ spec, status }, edited, START + 1_000);
    expect(next).toMatchObject({ is: 'Measure', isNew: true, counts: { passed: 0 } });
    expect(next).not.toHaveProperty('counts.observedHash');
  });

  it('keeps its last ten results', () => {
    let status: CheckStatus = {};
    const endless = { analysis: anAnalysis({ max: 1 }) };
    for (let index = 0; index < 12; index += 1) {
      const now = START + index * 10_000;
      const next = nextRun({ spec: endless, status }, identity, now);
      if (next.is !== 'Measure') throw new Error(next.is);
      const sample = { outcome: 'Passed', value: index, threshold: '', message: '' } as const;
      const result = resultOf(sample, { window: next.window, query: 'q', now });
      status = measuredStatus(
        { ...endless, before: status, generation: 1, identity, now },
        next.counts,
        sample,
        result,
      );
    }
    expect(status.analysis?.results?.map(({ value }) => value)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('is ended, and not measured, when it is to be terminated', () =>
    expect(nextRun({ spec: { ...spec, terminate: true } }, identity, START).is).toBe('Terminate'));

  it('is known by its annotation, and without one by what it measures', () => {
    const metadata = { name: 'dd' };
    expect(identityOf({ metadata }, 'digest').hash).toBe('digest');
    expect(
      identityOf({ metadata: { ...metadata, annotations: { 'analysis-hash': 'somehash' } } }, 'digest').hash,
    ).toBe('somehash');
  });
});
