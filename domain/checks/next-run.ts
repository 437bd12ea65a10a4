import type { Check, CheckAnalysis, CheckStatus } from '../../crds/check.ts';
import { parseDuration } from '../duration.ts';
import { parseTime } from '../time.ts';

/** The time that a sample is about, in milliseconds since the epoch; its end does not belong to it. */
export interface Window {
  readonly from: number;
  readonly to: number;
  readonly bucketMs: number;
}

type NextWindow =
  { readonly is: 'Window'; readonly window: Window } | { readonly is: 'Wait'; readonly until: number };

type Timing = Pick<CheckAnalysis, 'window' | 'bucket' | 'lag' | 'alignTo' | 'initialDelay'>;

const ms = (duration: string): number => parseDuration(duration) * 1000;

/** Finds the window of a sample: whole buckets that have ended at least `lag` ago. */
export function windowAt(timing: Timing, startedAt: number, now: number): NextWindow {
  const bucketMs = ms(timing.bucket);
  const lagMs = ms(timing.lag);
  const length = Math.max(1, Math.ceil(ms(timing.window) / bucketMs)) * bucketMs;
  const firstAt = startedAt + ms(timing.initialDelay ?? '0s');
  const alignedAt =
    timing.alignTo === 'step' ? Math.ceil(startedAt / bucketMs) * bucketMs + length + lagMs : firstAt;
  const until = Math.max(firstAt, alignedAt);
  if (now < until) return { is: 'Wait', until };
  const to = Math.floor((now - lagMs) / bucketMs) * bucketMs;
  return { is: 'Window', window: { from: to - length, to, bucketMs } };
}

/** The annotation that says which analysis a result is to be about. */
export const HASH_ANNOTATION = 'analysis-hash';

/** How a Check is known: what it measures, and what its results are to be called. */
export interface Identity {
  readonly digest: string;
  readonly hash: string;
}

/** The identity of a Check whose analysis has this digest. */
export const identityOf = ({ metadata }: Pick<Check, 'metadata'>, digest: string): Identity => ({
  digest,
  hash: (metadata.annotations?.[HASH_ANNOTATION] ?? digest).slice(0, 256),
});

type Counts = NonNullable<CheckStatus['analysis']>;

/** What a Check needs next. */
export type NextRun =
  | { readonly is: 'Over' }
  | { readonly is: 'Terminate'; readonly counts: Counts }
  | { readonly is: 'Wait'; readonly counts: Counts; readonly until: number; readonly isNew: boolean }
  | { readonly is: 'Measure'; readonly counts: Counts; readonly window: Window; readonly isNew: boolean };

// Timers are a little early or late; a sample that is due within this part of the interval is measured at once.
const TOLERANCE = 0.1;

const ended: ReadonlySet<CheckStatus['phase']> = new Set([
  'Successful',
  'Failed',
  'Error',
  'Inconclusive',
  'Terminated',
]);

/** Whether a Check has come to its end, in this status. */
export const isOver = (status: CheckStatus | undefined): boolean => ended.has(status?.phase);

/** Decides what a Check needs next, at a time in milliseconds since the epoch. */
export function nextRun(
  {
    spec,
    status = {},
  }: {
    readonly spec: { readonly analysis: CheckAnalysis; readonly terminate?: boolean | undefined };
    readonly status?: CheckStatus | undefined;
  },
  identity: Identity,
  now: number,
): NextRun {
  const known = status.analysis;
  const isSame = known !== undefined && isAbout(known, identity);
  if (isSame && isOver(status)) return { is: 'Over' };
  const isNew = !isSame;
  const counts = isSame ? known : begun(identity.digest, { now, results: known?.results });
  if (spec.terminate === true) return { is: 'Terminate', counts };
  const startedAt = parseTime(counts.startedAt) ?? now;
  const dueAt = isNew ? now : dueAfter(spec.analysis, status);
  if (now < dueAt) return { is: 'Wait', counts, until: dueAt, isNew };
  const next = windowAt(spec.analysis, startedAt, now);
  return next.is === 'Wait'
    ? { is: 'Wait', counts, until: next.until, isNew }
    : { is: 'Measure', counts, window: next.window, isNew };
}

const isAbout = ({ digest, observedHash }: Counts, identity: Identity): boolean =>
  digest === identity.digest && (observedHash === undefined || observedHash === identity.hash);

function dueAfter({ interval }: CheckAnalysis, { lastRunTime, analysis }: CheckStatus): number {
  // What was measured before these counts began does not hold them up.
  if (lastRunTime === undefined || lastRunTime < (analysis?.startedAt ?? '')) return 0;
  return (parseTime(lastRunTime) ?? 0) + parseDuration(interval) * 1000 * (1 - TOLERANCE);
}

/** The counts of a Check that begins; results of before stay to be looked at. */
export const begun = (
  digest: string,
  { now, results = [] }: { readonly now: number; readonly results?: Counts['results'] },
): Counts => ({
  digest,
  startedAt: new Date(now).toISOString(),
  passed: 0,
  failed: 0,
  inconclusive: 0,
  errors: 0,
  consecutiveSuccess: 0,
  consecutiveErrors: 0,
  results,
});
