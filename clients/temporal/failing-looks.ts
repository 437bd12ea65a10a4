import type { ReadStates, Sample } from '../metrics/metrics.ts';

/** A look that is made again and again, by which workflow. */
interface Look {
  readonly activity: string;
  readonly workflowId: string;
}

/** Knows which looks fail again and again, as far as this worker has begun them. */
export interface FailingLooks {
  /** Learns that a look begins, and since when those before it have failed; undefined: they have not. */
  readonly begun: (look: Look, failingSince: number | undefined) => void;
  /** Learns that a look has not failed. */
  readonly completed: (look: Look) => void;
  readonly states: ReadStates;
}

/** The time between two looks, in seconds. */
interface LookIntervals {
  readonly drift: number;
  readonly sync: number;
}

/** A look may be late by a tenth of its interval, and by the attempts of the one before; one that is later was made by another worker, or is not made any more. */
const LATE = { intervals: 1.1, seconds: 420 };

/** Begins with no look that fails. */
export function failingLooks(intervals: LookIntervals, clock: () => number = Date.now): FailingLooks {
  const failing = new Map<string, { activity: string; since: number; at: number }>();
  const keyOf = ({ activity, workflowId }: Look): string => `${activity} ${workflowId}`;

  function forgetOld(): void {
    for (const [key, { activity, at }] of failing) {
      const interval = activity === 'findDrift' ? intervals.drift : intervals.sync;
      if (clock() - at > (interval * LATE.intervals + LATE.seconds) * 1000) failing.delete(key);
    }
  }

  return {
    begun: (look, since) => {
      const key = keyOf(look);
      if (since === undefined) failing.delete(key);
      else {
        // Where nobody scrapes, those that are not made any more must not pile up.
        if (!failing.has(key)) forgetOld();
        failing.set(key, { activity: look.activity, since, at: clock() });
      }
    },
    completed: (look) => void failing.delete(keyOf(look)),
    states: () => {
      forgetOld();
      const longest = new Map<string, number>();
      for (const { activity, since, at } of failing.values())
        longest.set(activity, Math.max(longest.get(activity) ?? 0, (at - since) / 1000));
      return [...longest].map(([activity, value]): Sample => ({
        name: 'okra_looks_failing_seconds',
        labels: { activity },
        value,
      }));
    },
  };
}
