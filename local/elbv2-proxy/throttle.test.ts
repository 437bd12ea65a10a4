import { describe, expect, it } from 'vitest';
import { createBuckets, take } from './throttle.ts';

const limits = { burst: 3, perSecond: 2 };

function takeMany(count: number, start: Parameters<typeof take>[0], now: number) {
  let bucket = start;
  const allowed: boolean[] = [];
  for (let taken = 0; taken < count; taken += 1) {
    const next = take(bucket, limits, now);
    bucket = next.bucket;
    allowed.push(next.allowed);
  }
  return { bucket, allowed: allowed.filter(Boolean).length };
}

describe('a token bucket', () => {
  it('allows its burst at once and no more', () => {
    expect(takeMany(5, undefined, 0).allowed).toBe(3);
  });

  it.each([
    [499, 0],
    [500, 1],
    [1000, 2],
    [60_000, 3],
  ])('allows after %i ms what has been refilled, up to the burst: %i', (ms, want) => {
    const empty = takeMany(3, undefined, 0).bucket;
    expect(takeMany(5, empty, ms).allowed).toBe(want);
  });

  it('does not lose what trickles in between refused calls', () => {
    let { bucket } = takeMany(3, undefined, 0);
    const allowed = [100, 200, 300, 400, 500].map((now) => {
      const next = take(bucket, limits, now);
      bucket = next.bucket;
      return next.allowed;
    });
    expect(allowed).toEqual([false, false, false, false, true]);
  });

  it('is one per name', () => {
    const buckets = createBuckets();
    const one = { burst: 1, perSecond: 0 };
    expect([buckets.take('a', one, 0), buckets.take('a', one, 0), buckets.take('b', one, 0)]).toEqual([
      true,
      false,
      true,
    ]);
  });
});
