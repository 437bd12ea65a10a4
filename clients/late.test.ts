import { expect, it } from 'vitest';
import { late } from './late.ts';

it('is made once for all who ask, and again after it has failed', async () => {
  const answers = [Promise.reject(new Error('EMFILE')), Promise.resolve('made')];
  let asked = 0;
  const get = late(() => answers[asked++] ?? Promise.reject(new Error('Expected nobody to make it again.')));
  const first = [get(), get()];
  await expect(Promise.all(first)).rejects.toThrow('EMFILE');
  expect(await get()).toBe('made');
  expect(await get()).toBe('made');
});
