import { describe, expect, it } from 'vitest';
import { lifetimeFrom } from './lifetime.ts';

const never = new AbortController().signal;

describe('the time of a sync', () => {
  it('is over by the clock, though no timer of a process that was stopped has gone off', () => {
    let time = 0;
    const { signal, assert } = lifetimeFrom(never, { milliseconds: 60_000, now: () => time });
    time = 59_999;
    expect(assert).not.toThrow();
    time = 60_000;
    expect(signal.aborted).toBe(false);
    expect(assert).toThrow('The time of the sync is over.');
    expect(signal.aborted).toBe(true);
  });

  it('is over when the attempt is cancelled', () => {
    const cancelled = AbortSignal.abort(new Error('cancelled'));
    expect(lifetimeFrom(cancelled).assert).toThrow('cancelled');
  });
});
