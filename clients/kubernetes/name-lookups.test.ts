import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LOOKUPS_AT_ONCE, limitLookups, type Lookup } from './name-lookups.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Lookups that each answer when the test says so, and what their callers receive. */
function aSystem() {
  const answers = new Map<string, Parameters<Lookup>[2]>();
  const asked: string[] = [];
  const heard: string[] = [];
  const names = limitLookups((hostname, _, found) => {
    asked.push(hostname);
    answers.set(hostname, found);
  });
  const ask = (hostname: string): void =>
    names(hostname, { all: true }, (error, addresses) =>
      heard.push(error?.message ?? addresses.map(({ address }) => address).join(' ')),
    );
  const answer = async (hostname: string, error: Error | null = null): Promise<void> => {
    answers.get(hostname)?.(error, error === null ? [{ address: '192.0.2.1', family: 4 }] : []);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { ask, answer, asked, heard };
}

it('looks a name up once for all who ask meanwhile, and again for who asks later', async () => {
  const { ask, answer, asked, heard } = aSystem();
  for (let i = 0; i < 3; i += 1) ask('a');
  await answer('a');
  expect([asked, heard]).toEqual([['a'], ['192.0.2.1', '192.0.2.1', '192.0.2.1']]);
  ask('a');
  expect(asked).toEqual(['a', 'a']);
});

it('looks up so many names at once, and the next when one of them is answered', async () => {
  const { ask, answer, asked } = aSystem();
  for (let i = 0; i <= LOOKUPS_AT_ONCE; i += 1) ask(`a${i}`);
  expect(asked).toHaveLength(LOOKUPS_AT_ONCE);
  await answer('a0', new Error('ENOTFOUND'));
  expect(asked).toHaveLength(LOOKUPS_AT_ONCE + 1);
});

it('gives up waiting for a name that is not answered in time', async () => {
  const { ask, heard } = aSystem();
  ask('a');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(heard).toEqual(['cannot look up a: no answer within 5 s; look at the DNS server of the name']);
});
