import { describe, expect, it } from 'vitest';
import { sleep, waitAfter } from './backoff.ts';

const backoff = { first: 500, longest: 30_000 };

describe('waitAfter', () => {
  it.each([
    ['begins with the first wait', 1, 0, 500],
    ['doubles it', 2, 0, 1000],
    ['doubles it again', 3, 0, 2000],
    ['ends at the longest', 8, 0, 30_000],
    ['stays finite for ever', 1_000_000, 0, 30_000],
    ['is shortened by up to a half', 2, 1, 500],
  ])('%s', (_, failures, random, want) => expect(waitAfter(failures, backoff, () => random)).toBe(want));
});

describe('sleep', () => {
  it('ends at once when the signal is given', async () => {
    await expect(sleep(1_000_000, AbortSignal.abort())).resolves.toBeUndefined();
  });
});
