import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withTimeLimit } from './time-limit.ts';

/** Waits until the signal is aborted, and fails with its reason. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

describe('a time limit', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('gives what was run, and leaves neither a timer nor a listener', async () => {
    const { signal } = new AbortController();
    const seen: AbortSignal[] = [];
    const answered = withTimeLimit({ milliseconds: 1000, signal }, async (own) => {
      seen.push(own);
      expect([vi.getTimerCount(), getEventListeners(signal, 'abort').length]).toEqual([1, 1]);
      return await Promise.resolve('answer');
    });
    await expect(answered).resolves.toBe('answer');
    expect([vi.getTimerCount(), getEventListeners(signal, 'abort').length]).toEqual([0, 0]);
    expect(seen[0]?.aborted).toBe(false);
  });

  it('ends what takes longer by a TimeoutError, as AbortSignal.timeout does', async () => {
    const late = withTimeLimit({ milliseconds: 1000 }, untilAborted);
    const told = late.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(999);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    vi.useRealTimers();
    const known = await untilAborted(AbortSignal.timeout(0)).catch((error: unknown) => error);
    expect(await told).toEqual(known);
    expect(await told).toMatchObject({ name: 'TimeoutError' });
  });

  it('ends with the signal that is given, for its reason', async () => {
    const stop = new AbortController();
    const given = withTimeLimit({ milliseconds: 1000, signal: stop.signal }, untilAborted);
    stop.abort(new Error('stopped'));
    await expect(given).rejects.toThrow('stopped');
    await expect(withTimeLimit({ milliseconds: 1000, signal: stop.signal }, untilAborted)).rejects.toThrow(
      'stopped',
    );
    expect([vi.getTimerCount(), getEventListeners(stop.signal, 'abort').length]).toEqual([0, 0]);
  });
});
