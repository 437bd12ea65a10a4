import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { withHeartbeat, isGivenUp } from './heartbeat.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Runs as an activity that has waited for its slot for an hour. */
function asActivity<T>(run: () => Promise<T>): Promise<T> {
  const context = {
    info: { heartbeatTimeoutMs: 4_000, currentAttemptScheduledTimestampMs: Date.now() - 3_600_000 },
    heartbeat: () => undefined,
    cancellationSignal: new AbortController().signal,
  };
  // The context is a class that only a worker makes; these are the parts that are used.
  return asyncLocalStorage.run(context as unknown as Context, () => withHeartbeat(run));
}

/** Stops the process for a while: time passes, and no timer runs before it is over. */
const stopFor = (ms: number): void => void vi.setSystemTime(Date.now() + ms);

it('is not given up for what it has waited for a slot, nor for how long it takes', async () => {
  await asActivity(async () => {
    expect(isGivenUp()).toBe(false);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(isGivenUp()).toBe(false);
  });
});

it('is given up before Temporal gives it up, which may have heard of it last some time ago', async () => {
  await asActivity(async () => {
    stopFor(3_499);
    expect(isGivenUp()).toBe(false);
    stopFor(2);
    expect(isGivenUp()).toBe(true);
  });
});

it('is given up when the process was stopped for longer than the heartbeat timeout', async () => {
  await asActivity(async () => {
    await vi.advanceTimersByTimeAsync(2_500);
    stopFor(5_000);
    expect(isGivenUp()).toBe(true);
  });
});

it('stays given up when the heartbeat continues', async () => {
  await asActivity(async () => {
    stopFor(5_000);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(isGivenUp()).toBe(true);
  });
});

it('beats once where one wraps what another has wrapped', async () => {
  await asActivity(async () => {
    stopFor(5_000);
    // The silence of the first is not forgotten.
    expect(await withHeartbeat(() => Promise.resolve(isGivenUp()))).toBe(true);
  });
});
