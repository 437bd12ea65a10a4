import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { withTimeLimit } from './concurrency.ts';

/** Waits until the signal is aborted, and fails with its reason. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });

/** A limit that nothing else in this process has, whose timers may be set meanwhile. */
const milliseconds = 1_234;

describe('a time limit', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(globalThis, 'setTimeout');
    vi.spyOn(globalThis, 'clearTimeout');
  });
  // The other way round it would leave timers that never come to whatever this process runs next.
  const asBefore = (): void => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  };
  afterEach(asBefore);

  /** How many of its timers were set, and not cleared yet. */
  function timersLeft(): number {
    const { calls, results } = vi.mocked(setTimeout).mock;
    const cleared = vi.mocked(clearTimeout).mock.calls.map(([timer]) => timer);
    const own = results.filter((_, call) => calls[call]?.[1] === milliseconds);
    expect(own.length).toBeGreaterThan(0);
    return own.filter(({ value }) => !cleared.includes(value)).length;
  }

  it('gives what was run, and leaves neither a timer nor a listener', async () => {
    const { signal } = new AbortController();
    const seen: AbortSignal[] = [];
    const answered = withTimeLimit({ milliseconds, signal }, async (own) => {
      seen.push(own);
      expect([timersLeft(), getEventListeners(signal, 'abort').length]).toEqual([1, 1]);
      return await Promise.resolve('answer');
    });
    await expect(answered).resolves.toBe('answer');
    expect([timersLeft(), getEventListeners(signal, 'abort').length]).toEqual([0, 0]);
    expect(seen[0]?.aborted).toBe(false);
  });

  it('ends what takes longer by a TimeoutError, as AbortSignal.timeout does', async () => {
    const late = withTimeLimit({ milliseconds }, untilAborted);
    const told = late.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(milliseconds - 1);
    expect(timersLeft()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    asBefore();
    const known = await untilAborted(AbortSignal.timeout(0)).catch((error: unknown) => error);
    expect(await told).toEqual(known);
    expect(await told).toMatchObject({ name: 'TimeoutError' });
  });

  it('ends with the signal that is given, for its reason', async () => {
    const stop = new AbortController();
    const given = withTimeLimit({ milliseconds, signal: stop.signal }, untilAborted);
    stop.abort(new Error('stopped'));
    await expect(given).rejects.toThrow('stopped');
    await expect(withTimeLimit({ milliseconds, signal: stop.signal }, untilAborted)).rejects.toThrow(
      'stopped',
    );
    expect([timersLeft(), getEventListeners(stop.signal, 'abort').length]).toEqual([0, 0]);
  });
});
