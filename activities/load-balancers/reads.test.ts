import { describe, expect, it } from 'vitest';
import { readIfInTime } from './reads.ts';

const { signal } = new AbortController();
const refused = () => Promise.reject(new Error('refused'));
/** A read that never answers, and ends when it is given up. */
const hangs = (until: AbortSignal): Promise<never> =>
  new Promise((_, reject) => until.addEventListener('abort', () => reject(until.reason as Error)));

describe('a read that a write can do without', () => {
  it('is taken where it answers', async () => {
    const answers = () => Promise.resolve('read');
    expect(await readIfInTime({ urgent: true, signal }, answers, 'told')).toBe('read');
    expect(await readIfInTime({ urgent: false, signal }, answers, 'told')).toBe('read');
  });

  it.each([
    ['hangs', hangs],
    ['is refused', refused],
  ])('is not waited for by what takes traffic back where it %s', async (_, read) =>
    expect(await readIfInTime({ urgent: true, signal }, read, 'told')).toBe('told'),
  );

  it('holds everything else where it is refused', () =>
    expect(readIfInTime({ urgent: false, signal }, refused, 'told')).rejects.toThrow('refused'));

  it('is given up with who asks', () =>
    expect(
      readIfInTime({ urgent: true, signal: AbortSignal.abort(new Error('given up')) }, refused, 'told'),
    ).rejects.toThrow('refused'));
});
