import { setTimeout as wait } from 'node:timers/promises';

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 400;

let lost: Error | undefined;

/** Has all that this file of tests waits for end with an error, since what it needs is gone for good. */
export function endWaits(error: Error): void {
  lost = error;
}

/**
 * Waits until a probe answers with something, and gives that; says what was seen last when it never does.
 * What takes long is looked at less often, since each look takes time from the servers that are waited for.
 */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined | false>,
  options: {
    readonly timeoutMs?: number;
    readonly seen?: () => Promise<unknown>;
    /** What to wait for before the next look, where something tells of changes. */
    readonly pause?: (elapsedMs: number) => Promise<void>;
  } = {},
): Promise<T> {
  const { timeoutMs = 300_000, seen, pause = (elapsedMs) => wait(waitAfter(elapsedMs)) } = options;
  const begun = Date.now();
  const deadline = begun + timeoutMs;
  for (; ; await pause(Date.now() - begun)) {
    if (lost !== undefined) throw lost;
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) {
      const got = seen === undefined ? 'nothing of the kind' : JSON.stringify(await seen(), undefined, 1);
      throw new Error(`Expected ${what} within ${timeoutMs / 1000} s, got ${got}.`);
    }
  }
}

/** How long to wait before the next look: a tenth of what was waited already, within limits. */
export const waitAfter = (elapsedMs: number): number =>
  Math.min(LONGEST_WAIT_MS, Math.max(FIRST_WAIT_MS, elapsedMs / 10));
