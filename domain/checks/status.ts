import { given } from '../model/fields.ts';
import type { CheckAnalysis, CheckResult, CheckStatus } from '../../crds/check.ts';
import { conditionsFrom } from '../kubernetes/conditions.ts';
import { cut } from '../text.ts';
import type { Sample } from './judge.ts';
import type { Identity, Window } from './next-run.ts';

type Counts = NonNullable<CheckStatus['analysis']>;

/** The Check that a status is about, and when. */
export interface StatusInput {
  readonly analysis: CheckAnalysis;
  readonly before: CheckStatus;
  readonly generation: number;
  readonly identity: Identity;
  readonly now: number;
}

// As long as the schema takes (crds/check.ts).
const LONGEST = { message: 4096, result: 1024, query: 8192, group: 512, threshold: 1024 } as const;

const iso = (at: number): string => new Date(at).toISOString();

/** What a sample leaves in the status. */
export function resultOf(
  sample: Sample,
  at: { readonly window: Window; readonly query: string; readonly now: number },
): CheckResult {
  const { outcome, value, baseline, samples, group, threshold, message } = sample;
  // JSON has no infinite numbers; the message shows them.
  const numbers = Object.entries({ value, baseline, samples }).filter(([, number]) =>
    Number.isFinite(number),
  );
  return {
    outcome,
    time: iso(at.now),
    windowStart: iso(at.window.from),
    windowEnd: iso(at.window.to),
    query: cut(at.query, LONGEST.query),
    ...Object.fromEntries(numbers),
    ...(group === undefined ? {} : { group: cut(group, LONGEST.group) }),
    threshold: cut(threshold, LONGEST.threshold),
    message: cut(message, LONGEST.result),
  };
}

/** The status after a sample. */
export function measuredStatus(
  input: StatusInput,
  counts: Counts,
  sample: Sample,
  result: CheckResult,
): CheckStatus {
  const analysis = { ...counted(counts, sample, result), observedHash: input.identity.hash };
  const sampled = { lastPassed: sample.outcome === 'Passed', lastRunTime: result.time, analysis };
  return statusOf(input, reasoned(verdictOf(input.analysis, analysis), sample), sampled);
}

/** While it is measured on, what keeps the provider from answering is the reason. */
const reasoned = (verdict: Verdict, { outcome, reason = 'Measuring' }: Sample): Verdict =>
  verdict.phase === 'Running' && outcome === 'Error' ? { ...verdict, reason, isDegraded: true } : verdict;

interface Verdict {
  readonly phase: NonNullable<CheckStatus['phase']>;
  readonly reason: string;
  readonly message: string;
  readonly isDegraded?: true;
}

/** The status of a Check by its verdict; without a new sample, what the last one came to stays. */
export function statusOf(
  { before, generation, now }: Pick<StatusInput, 'before' | 'generation' | 'now'>,
  { phase, reason, message: whole, isDegraded }: Verdict,
  sampled: Pick<CheckStatus, 'lastPassed' | 'lastRunTime' | 'analysis'> = {},
): CheckStatus {
  const message = cut(whole, LONGEST.message);
  const isReady = phase === 'Successful' || (phase === 'Running' && sampled.lastPassed === true);
  const isTrouble = isDegraded === true || phase === 'Failed' || phase === 'Error';
  const claims = [
    { type: 'Ready', holds: isReady, reason, message },
    { type: 'Progressing', holds: phase === 'Running', reason, message },
    { type: 'Degraded', holds: isTrouble, reason, message },
  ];
  return {
    observedGeneration: generation,
    phase,
    reason,
    message,
    conditions: conditionsFrom(claims, before.conditions ?? [], { generation, time: iso(now) }),
    ...given({ lastPassed: before.lastPassed, lastRunTime: before.lastRunTime }),
    ...sampled,
  };
}

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
export function verdictOf(analysis: CheckAnalysis, counts: Counts): Verdict {
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
function beyondLimits(analysis: CheckAnalysis, counts: Counts, count: number): Verdict | undefined {
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

const running = (message: string): Verdict => ({ phase: 'Running', reason: 'Measuring', message });
const ended = (phase: Verdict['phase'], reason: string, message: string): Verdict => ({
  phase,
  reason,
  message,
});
