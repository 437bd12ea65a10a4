import { Context } from '@temporalio/activity';
import { isGivenUp } from '../heartbeat.ts';
import { wrapEach } from '../wrap.ts';

/** The time in which an attempt of a sync may write. */
export interface Lifetime {
  readonly signal: AbortSignal;
  /** Throws when the time is over; asked before each write. */
  readonly assert: () => void;
}

// An attempt that is given up by its workflow (`syncs` in workflows/activities.ts) is not to write any more.
const LONGEST_SYNC_MILLISECONDS = 100_000;

/** Makes the time of an attempt that begins now. */
export function startLifetimeOf(
  cancellation: AbortSignal,
  { milliseconds = LONGEST_SYNC_MILLISECONDS, now = Date.now, isLost = (): boolean => false } = {},
): Lifetime {
  const endsAt = now() + milliseconds;
  const over = new AbortController();
  const signal = AbortSignal.any([cancellation, AbortSignal.timeout(milliseconds), over.signal]);
  return {
    signal,
    assert: () => {
      // In a process that was stopped for a while, answers that have come meanwhile are seen before timers are, and
      // another attempt may have written by what it has seen later.
      if (now() >= endsAt || isLost()) over.abort(new DOMException('The sync timed out.', 'TimeoutError'));
      signal.throwIfAborted();
    },
  };
}

/** Makes the time of the attempt that runs this. */
export const startLifetime = (): Lifetime =>
  startLifetimeOf(Context.current().cancellationSignal, { isLost: isGivenUp });

/** Wraps activities so that each answer says the interval: a workflow may be older than that. */
export const answerInterval = <Activities extends object>(
  activities: Activities,
  intervalSeconds: number,
): Activities =>
  wrapEach(activities, async (run) => {
    const answer = await run();
    return typeof answer === 'object' && answer !== null ? { ...answer, intervalSeconds } : answer;
  });
