import { expect, it } from 'vitest';
import { send, type Asker } from './send.ts';

it('sends an abort of a StagedBindingPolicy while nobody says at which stage it is', async () => {
  const asked: unknown[] = [];
  const session = {
    kubernetes: { get: () => new Promise(() => undefined) },
    whoAmI: () => Promise.resolve('ann'),
    may: () => Promise.resolve(true),
    operator: () =>
      Promise.resolve({
        ask: (...words: unknown[]) => {
          asked.push(words);
          return Promise.resolve({ is: 'Taken', message: 'Done.' });
        },
      }),
  } as unknown as Asker;
  const said: string[] = [];
  const print = (text: string): void => void said.push(text);
  const target = { kind: 'StagedBindingPolicy', key: { namespace: '', name: 'nginx' } } as const;
  await send({ print, warn: print, exitWith: () => undefined }, session, {
    target,
    name: 'abort',
    reason: '',
  });
  expect(said).toEqual(['Done.']);
  expect(asked).toEqual([['staged-binding-policy/nginx', 'abort', { by: 'ann', reason: '' }]]);
});
