import { setTimeout as wait } from 'node:timers/promises';

const POLL_MS = 50;

/** Waits until a probe answers with something, and gives that; says what was seen last when it never does. */
export async function until<T>(
  what: string,
  probe: () => Promise<T | undefined | false>,
  options: { readonly timeoutMs?: number; readonly seen?: () => Promise<unknown> } = {},
): Promise<T> {
  const { timeoutMs = 90_000, seen } = options;
  for (const deadline = Date.now() + timeoutMs; ; await wait(POLL_MS)) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) {
      const got = seen === undefined ? 'nothing of the kind' : JSON.stringify(await seen(), undefined, 1);
      throw new Error(`Expected ${what} within ${timeoutMs / 1000} s, got ${got}.`);
    }
  }
}
