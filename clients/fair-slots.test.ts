import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { fairSlots } from './fair-slots.ts';

it('does so many things at once, so many for one who asks, and goes on after one that fails', async () => {
  const inSlot = fairSlots({ all: 2, ofOne: 1 });
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const ask = (what: string): Promise<string> =>
    inSlot(what.slice(0, 1), async () => {
      begun.push(what);
      const error = await new Promise<Error | undefined>((resolve) => ends.set(what, resolve));
      if (error !== undefined) throw error;
      return what;
    });
  const all = Promise.allSettled(['a1', 'a2', 'b1', 'c1'].map(ask));
  await turn();
  expect(begun).toEqual(['a1', 'b1']);
  ends.get('b1')?.(new Error('no'));
  await turn();
  expect(begun).toEqual(['a1', 'b1', 'c1']);
  for (const what of ['a1', 'c1']) ends.get(what)?.();
  await turn();
  ends.get('a2')?.();
  expect(await all).toMatchObject([
    { value: 'a1' },
    { value: 'a2' },
    { reason: { message: 'no' } },
    { value: 'c1' },
  ]);
});
