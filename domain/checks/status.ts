import { given } from '../model/fields.ts';
import type { CheckAnalysis, CheckResult, CheckStatus } from '../../crds/check.ts';
import { conditionsFrom } from '../kubernetes/conditions.ts';
import { cut } from '../text.ts';
import type { Sample } from './judge.ts';
import type { Identity, Window } from './next-run.ts';
import { counted, verdictOf, type CheckVerdict } from './progress.ts';

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
const reasoned = (verdict: CheckVerdict, { outcome, reason = 'Measuring' }: Sample): Verdict =>
  verdict.phase === 'Running' && outcome === 'Error' ? { ...verdict, reason, isDegraded: true } : verdict;

type Verdict = Omit<CheckVerdict, 'phase'> & {
  readonly phase: NonNullable<CheckStatus['phase']>;
  readonly isDegraded?: true;
};

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
