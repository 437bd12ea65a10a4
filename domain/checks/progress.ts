import { given } from '../model/fields.ts';
import type { CheckAnalysis, CheckResult, CheckStatus } from '../../crds/check.ts';
import type { Sample } from './judge.ts';

type Counts = NonNullable<CheckStatus['analysis']>;

/** What a Check has come to. */
export interface CheckVerdict {
  readonly phase: 'Running' | 'Successful' | 'Failed' | 'Error' | 'Inconclusive';
  readonly reason: string;
  readonly message: string;
}

/** How many results a status keeps. */
const KEPT_RESULTS = 10;

/** Counts a sample, and keeps what it says. */
export function counted({ extendedSince, ...before }: Counts, sample: Sample, result: CheckResult): Counts {
  const { passed = 0, failed = 0, inconclusive = 0, errors = 0 } = before;
  const { consecutiveSuccess = 0, consecutiveErrors = 0 } = before;
  const after = { ...before, results: [...(before.results ?? []), result].slice(-KEPT_RESULTS) };
  const answered = { ...after, consecutiveErrors: 0 };
  switch (sample.outcome) {
    case 'Passed':
      return { ...answered, passed: passed + 1, consecutiveSuccess: consecutiveSuccess + 1 };
    case 'Failed':
      return { ...answered, failed: failed + 1, consecutiveSuccess: 0 };
    case 'Inconclusive':
      return { ...answered, inconclusive: inconclusive + 1, consecutiveSuccess: 0 };
    case 'Extended':
      return { ...answered, extendedSince: extendedSince ?? result.time };
    case 'Error':
      // How long samples are extended is not forgotten because the provider did not answer once.
      return {
        ...after,
        ...given({ extendedSince }),
        errors: errors + 1,
        consecutiveErrors: consecutiveErrors + 1,
      };
  }
}

/** As many errors in a row as Argo Rollouts takes. */
const DEFAULT_ERROR_LIMIT = 4;

/** Says what the samples so far come to; without `count` there is never a verdict. */
export function verdictOf(analysis: CheckAnalysis, counts: Counts): CheckVerdict {
  const { count } = analysis;
  const last = counts.results?.at(-1);
  const said = last?.message === undefined ? '' : ` ${last.message}`;
  if (count === undefined) return running(`${last?.outcome ?? 'Not measured yet'}.${said}`);
  const beyond = beyondLimits(analysis, counts, count);
  if (beyond !== undefined) return { ...beyond, message: `${beyond.message}${said}` };
  const { passed = 0, failed = 0, consecutiveSuccess = 0 } = counts;
  const evaluated = passed + failed;
  if (evaluated >= count && passed > 0 && consecutiveSuccess >= (analysis.consecutiveSuccess ?? 0))
    return ended('Successful', 'SamplesPassed', `${passed} of ${evaluated} samples passed.${said}`);
  return running(`${evaluated} of ${count} samples evaluated, ${passed} passed.${said}`);
}

/** The end that a limit makes; what failed goes before what could not be measured. */
function beyondLimits(analysis: CheckAnalysis, counts: Counts, count: number): CheckVerdict | undefined {
  const { failed = 0, inconclusive = 0, consecutiveErrors: errors = 0 } = counts;
  const { failureLimit = 0, inconclusiveLimit = 0, consecutiveErrorLimit = DEFAULT_ERROR_LIMIT } = analysis;
  if (failed > failureLimit)
    return ended(
      'Failed',
      'SamplesFailed',
      `${failed} of ${count} samples failed (failureLimit ${failureLimit}).`,
    );
  if (errors > consecutiveErrorLimit) {
    const message = `${errors} consecutive errors (consecutiveErrorLimit ${consecutiveErrorLimit}).`;
    return ended('Error', 'NotMeasured', message);
  }
  if (inconclusive <= inconclusiveLimit) return undefined;
  const message = `${inconclusive} samples were inconclusive (inconclusiveLimit ${inconclusiveLimit}).`;
  return ended('Inconclusive', 'SamplesInconclusive', message);
}

const running = (message: string): CheckVerdict => ({ phase: 'Running', reason: 'Measuring', message });
const ended = (phase: CheckVerdict['phase'], reason: string, message: string): CheckVerdict => ({
  phase,
  reason,
  message,
});
