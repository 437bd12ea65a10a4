import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckStatus } from '../../crds/check.ts';
import { anAnalysis } from '../testing/checks.ts';
import { judge, type Measured, type Sample } from './judge.ts';
import { begun, nextRun } from './next-run.ts';
import { counted, measuredStatus, resultOf, verdictOf } from './status.ts';

const window = { from: 0, to: 60_000, bucketMs: 60_000 };
const sampleOf = (outcome: Sample['outcome']): Sample => ({ outcome, threshold: 'max 1', message: '' });

/** The phase after samples with these outcomes, one letter each. */
function phaseAfter(written: object, outcomes: string): string {
  const analysis = anAnalysis({ max: 1, ...written });
  const words = { P: 'Passed', F: 'Failed', I: 'Inconclusive', X: 'Extended', E: 'Error' } as const;
  let counts = begun('digest', { now: 0 });
  for (const letter of outcomes) {
    const sample = sampleOf(words[letter as keyof typeof words]);
    counts = counted(counts, sample, resultOf(sample, { window, query: 'q', now: 0 }));
  }
  return verdictOf(analysis, counts).phase;
}

describe('the verdict', () => {
  it.each<[object, string, string]>([
    [{ count: 3 }, 'PP', 'Running'],
    [{ count: 3 }, 'PPP', 'Successful'],
    [{ count: 3 }, 'PXXEPIEP', 'Inconclusive'],
    [{ count: 3 }, 'PXXEPEP', 'Successful'],
    [{ count: 3 }, 'PF', 'Failed'],
    [{ count: 3, failureLimit: 1 }, 'PFP', 'Successful'],
    [{ count: 1, failureLimit: 5 }, 'FF', 'Running'],
    [{ count: 3, failureLimit: 1 }, 'PFPF', 'Failed'],
    [{ count: 2, inconclusiveLimit: 1 }, 'PIP', 'Successful'],
    [{ count: 2, inconclusiveLimit: 1 }, 'PII', 'Inconclusive'],
    [{ count: 1 }, 'EEEE', 'Running'],
    [{ count: 1 }, 'EEEEE', 'Error'],
    [{ count: 1 }, 'EEEEXEEEE', 'Running'],
    [{ count: 2, consecutiveErrorLimit: 0 }, 'PE', 'Error'],
    [{ count: 2, failureLimit: 9, consecutiveSuccess: 3 }, 'PPFPP', 'Running'],
    [{ count: 2, failureLimit: 9, consecutiveSuccess: 3 }, 'PPFPPP', 'Successful'],
    [{}, 'PPPPPPFFFFFEEEEEEIIII', 'Running'],
  ])('of %j after %s is %s', (written, outcomes, phase) => expect(phaseAfter(written, outcomes)).toBe(phase));

  const values = fc.oneof(
    fc.double({ min: -1, max: 3, noNaN: true }),
    fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, undefined),
  );
  const answers = fc.record({
    groups: fc.array(fc.record({ group: fc.constantFrom('', 'a', 'b'), value: values }), { maxLength: 4 }),
    baseline: fc.option(fc.double({ min: -1, max: 3, noNaN: true }), { nil: undefined }),
    samples: fc.option(fc.nat(20), { nil: undefined }),
  });
  const analyses = fc.record(
    {
      count: fc.integer({ min: 1, max: 5 }),
      failureLimit: fc.nat(3),
      inconclusiveLimit: fc.nat(3),
      consecutiveErrorLimit: fc.nat(3),
      consecutiveSuccess: fc.integer({ min: 1, max: 3 }),
      noData: fc.constantFrom('pass', 'fail', 'inconclusive', 'extend'),
      groupBy: fc.record({ judge: fc.constantFrom('worst', 'all'), cap: fc.constant(3) }),
      compare: fc.constant({ to: 'stable', baselines: [{ query: 'q' }], maxRatio: 1.5 }),
      minSamples: fc.constant({ query: 'q', atLeast: 10 }),
    },
    { requiredKeys: ['count'] },
  );

  it('is never Successful without count samples that were really evaluated, whatever providers answer', () =>
    fc.assert(
      fc.property(
        analyses,
        fc.array(fc.oneof(answers, fc.constant('unanswered')), { maxLength: 30 }),
        (written, given) => {
          const analysis = anAnalysis({ max: 1, ...written });
          const identity = { digest: 'digest', hash: 'hash' };
          let status: CheckStatus = {};
          let evaluated = 0;
          let now = 1_800_000_000_000;
          for (const answer of given) {
            const next = nextRun({ spec: { analysis }, status }, identity, now);
            if (next.is !== 'Measure') break;
            const sample =
              typeof answer === 'string' ? sampleOf('Error') : judge(analysis, numbersOnly(answer), 0);
            if (isEvaluated(analysis.noData, sample)) evaluated += 1;
            const input = { analysis, before: status, generation: 1, identity, now };
            const result = resultOf(sample, { window: next.window, query: 'q', now });
            status = measuredStatus(input, next.counts, sample, result);
            expect(status.lastPassed).toBe(sample.outcome === 'Passed');
            expect(status.phase !== 'Successful' || evaluated >= written.count).toBe(true);
            now += 10_000;
          }
        },
      ),
      { numRuns: 500 },
    ));
});

/** A sample that had a number to judge, or of which the analysis says what no data is. */
const isEvaluated = (noData: string, { outcome, value }: Sample): boolean =>
  (outcome === 'Passed' || outcome === 'Failed') &&
  (value !== undefined ? Number.isFinite(value) : noData === 'pass' || noData === 'fail');

// As reduce leaves them.
const numbersOnly = (measured: Measured): Measured => ({
  ...measured,
  groups: measured.groups.map(({ group, value }) => ({
    group,
    ...(value === undefined || !Number.isFinite(value) ? {} : { value }),
  })),
});
