import type { CheckAnalysis } from '../../crds/check.ts';
import { parseDuration } from '../duration.ts';

/** The time that a sample is about, in milliseconds since the epoch; its end does not belong to it. */
export interface Window {
  readonly from: number;
  readonly to: number;
  /** The time that one point is about. */
  readonly bucketMs: number;
}

/** Either the window of a sample, or when there is one. */
type NextWindow =
  { readonly is: 'Window'; readonly window: Window } | { readonly is: 'Wait'; readonly until: number };

type Timing = Pick<CheckAnalysis, 'window' | 'bucket' | 'lag' | 'alignTo' | 'initialDelay'>;

const ms = (duration: string): number => parseDuration(duration) * 1000;

/**
 * The window of a sample that is measured now: whole buckets of which the last has ended at least `lag` ago. With
 * `alignTo: step` it begins after the start, so that nothing counts that was before the step.
 */
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
