import { asyncLocalStorage, type Context } from '@temporalio/activity';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { withHeartbeat } from '../heartbeat.ts';
import { startLifetime, startLifetimeOf } from './lifetime.ts';

const never = new AbortController().signal;

describe('the time of a sync', () => {
  it('is over by the clock, though no timer of a process that was stopped has gone off', () => {
    let time = 0;
    const { signal, assert } = startLifetimeOf(never, { milliseconds: 60_000, now: () => time });
    time = 59_999;
    expect(assert).not.toThrow();
    time = 60_000;
    expect(signal.aborted).toBe(false);
    expect(assert).toThrow('The sync timed out.');
    expect(signal.aborted).toBe(true);
  });

  it('is over when the process was stopped for so long that another attempt may have taken over', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const info = { heartbeatTimeoutMs: 5_000 };
    const context = { info, heartbeat: () => undefined, cancellationSignal: never };
    await asyncLocalStorage.run(context as unknown as Context, () =>
      withHeartbeat(async () => {
        const { assert } = startLifetime();
        await vi.advanceTimersByTimeAsync(60_000);
        expect(assert).not.toThrow();
        vi.setSystemTime(Date.now() + 6_000);
        expect(assert).toThrow('The sync timed out.');
      }),
    );
  });

  it('is over when the attempt is cancelled', () => {
    const cancelled = AbortSignal.abort(new Error('cancelled'));
    expect(startLifetimeOf(cancelled).assert).toThrow('cancelled');
  });
});
