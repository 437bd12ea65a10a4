import { describe, expect, it } from 'vitest';
import { shareReading, late } from './concurrency.ts';

/** A reading that is told how it ends, and notes how often it was begun. */
function aReading() {
  const seen = { begun: 0 };
  let ends = Promise.withResolvers<string>();
  const read = shareReading(async () => {
    seen.begun += 1;
    ends = Promise.withResolvers();
    return await ends.promise;
  });
  return {
    seen,
    read,
    answer: (text: string) => ends.resolve(text),
    fail: (error: Error) => ends.reject(error),
  };
}

describe('a shared reading', () => {
  it('is made once for all who ask while it is under way, and again for who asks after it', async () => {
    const { seen, read, answer } = aReading();
    const both = Promise.all([read(), read()]);
    answer('a');
    expect(await both).toEqual(['a', 'a']);
    const third = read();
    answer('b');
    expect(await third).toBe('b');
    expect(seen.begun).toBe(2);
  });

  it('fails for all, and is tried again by the next', async () => {
    const { read, answer, fail } = aReading();
    const both = Promise.allSettled([read(), read()]);
    fail(new Error('no'));
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = read();
    answer('a');
    expect(await next).toBe('a');
  });

  it('continues for the others when one gives up', async () => {
    const { seen, read, answer } = aReading();
    const stop = new AbortController();
    const one = read(stop.signal);
    const other = read();
    stop.abort(new Error('enough'));
    await expect(one).rejects.toThrow('enough');
    answer('a');
    expect(await other).toBe('a');
    expect(seen.begun).toBe(1);
  });

  it('is not begun for who has given up before', async () => {
    const { seen, read } = aReading();
    await expect(read(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
    expect(seen.begun).toBe(0);
  });
});

it('is made once for all who ask, and again after it has failed', async () => {
  const answers = [Promise.reject(new Error('EMFILE')), Promise.resolve('made')];
  let asked = 0;
  const get = late(() => answers[asked++] ?? Promise.reject(new Error('Expected nobody to make it again.')));
  const first = [get(), get()];
  await expect(Promise.all(first)).rejects.toThrow('EMFILE');
  expect(await get()).toBe('made');
  expect(await get()).toBe('made');
});
