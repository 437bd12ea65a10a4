import { setTimeout as sleep } from 'node:timers/promises';

/** How long to try for, how often, and what to stop early on. */
export interface Patience {
  readonly what: string;
  readonly timeoutMillis?: number;
  readonly intervalMillis?: number;
  readonly signal?: AbortSignal;
}

// A machine that is busy with other work takes minutes for what takes seconds on an idle one.
const LONGEST_MILLIS = 300_000;

/** Repeats an attempt until it answers something other than `undefined`; an attempt that throws counts as not yet. */
export async function waitFor<T>(patience: Patience, attempt: () => Promise<T | undefined>): Promise<T> {
  const { what, timeoutMillis = LONGEST_MILLIS, intervalMillis = 50, signal } = patience;
  const end = Date.now() + timeoutMillis;
  let last = 'no answer';
  for (;;) {
    signal?.throwIfAborted();
    try {
      const answer = await attempt();
      if (answer !== undefined) return answer;
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
    }
    if (Date.now() > end) {
      throw new Error(`Expected ${what} within ${timeoutMillis / 1000} s, got: ${last}.`);
    }
    await sleep(intervalMillis, undefined, signal === undefined ? {} : { signal });
  }
}

/** Tells whether a health endpoint answers with success. */
export async function answersOk(url: string): Promise<true | undefined> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  await response.body?.cancel();
  return response.ok ? true : undefined;
}
