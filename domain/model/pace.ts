const MOST = { looks: 40, withinMs: 60_000 };

// What takes something back may be decided by the next look, so that none waits longer than this, however many there were.
const LONGEST_PAUSE_MS = 1_500;

/** When someone has looked last, in milliseconds since the epoch; no more of them than it takes to pace the next. */
export type Looks = readonly number[];

/** Adds a look to those before. */
export const addLook = (looks: Looks, now: number): Looks => [...looks, now].slice(-MOST.looks);

/** How long to wait with the next look, in milliseconds, so that about so many are made in a minute. */
export function pauseBeforeLook(looks: Looks, now: number): number {
  const [first = now] = looks;
  return looks.length < MOST.looks ? 0 : Math.min(Math.max(0, first + MOST.withinMs - now), LONGEST_PAUSE_MS);
}

const BACKOFF_MS = { first: 1_000, longest: 60_000 };

/** How long what was in vain so often waits until it is tried again, in milliseconds: twice as long each time, up to a minute. */
export const backoffMs = (times: number): number =>
  Math.min(BACKOFF_MS.longest, BACKOFF_MS.first * 2 ** Math.min(times - 1, 10));

/** What a look is told when the one before it has failed. */
export interface FailedBefore {
  /** Since when one after the other has failed, in milliseconds since the epoch. */
  readonly failingSince: number;
}
