import type { LookupAddress } from 'node:dns';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { given } from '../../domain/model/given.ts';
import { nameLookups, type Lookup } from './name-lookups.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const address: LookupAddress = { address: '192.0.2.1', family: 4 };

/** Lookups of which each is answered when the test says so, and what is heard of them. */
function aSystem() {
  const answers = new Map<string, Parameters<Lookup>[2]>();
  const asked: string[] = [];
  const heard: string[] = [];
  const look = nameLookups(
    (hostname, _, found) => {
      asked.push(hostname);
      answers.set(hostname, found);
    },
    { now: () => Date.now() },
  );
  const ask = (hostname: string, whose = 'shop', family?: 4 | 6): void =>
    look({ hostname, whose, options: { all: true, ...given({ family }) } }, (error, addresses) =>
      heard.push(`${hostname} ${error?.message ?? addresses.map((one) => one.address).join(' ')}`),
    );
  const answer = (hostname: string, error: Error | null = null): void => {
    const found = answers.get(hostname);
    answers.delete(hostname);
    found?.(error, error === null ? [address] : []);
  };
  /** Has a name answered once, after so many milliseconds. */
  const past = (hostname: string, milliseconds: number, whose = 'shop'): void => {
    ask(hostname, whose);
    vi.advanceTimersByTime(milliseconds);
    answer(hostname);
    asked.length = 0;
    heard.length = 0;
  };
  return { ask, answer, past, asked, heard };
}

describe('a name that many ask for', () => {
  it('is looked up once for all who ask meanwhile, and again for who asks later', () => {
    const { ask, answer, asked, heard } = aSystem();
    for (let i = 0; i < 3; i += 1) ask('a');
    answer('a');
    expect(asked).toEqual(['a']);
    expect(heard).toEqual(['a 192.0.2.1', 'a 192.0.2.1', 'a 192.0.2.1']);
    ask('a');
    expect(asked).toEqual(['a', 'a']);
  });

  it('is looked up for each family by itself, and in the line of each who asks', () => {
    const { ask, answer, past, asked } = aSystem();
    past('a', 0);
    ask('a');
    ask('a', 'shop', 6);
    ask('a', 'bank');
    expect(asked).toEqual(['a', 'a']);
    answer('a');
    expect(asked).toEqual(['a', 'a', 'a']);
  });

  it('tells all of them that it leads nowhere', () => {
    const { ask, answer, heard } = aSystem();
    ask('a');
    ask('a');
    answer('a', new Error('getaddrinfo ENOTFOUND a'));
    expect(heard).toEqual(['a getaddrinfo ENOTFOUND a', 'a getaddrinfo ENOTFOUND a']);
  });
});

describe('a name whose server does not answer', () => {
  it('is waited for no longer than some seconds, and no answer is told twice', () => {
    const { ask, answer, heard, asked } = aSystem();
    ask('silent');
    vi.advanceTimersByTime(4_999);
    expect(heard).toEqual([]);
    vi.advanceTimersByTime(1);
    const said =
      'silent no answer within 5 s when its name was looked up; look at the DNS server of the name';
    expect(heard).toEqual([said]);
    ask('silent');
    vi.advanceTimersByTime(5_000);
    answer('silent');
    expect(heard).toEqual([said, said]);
    expect(asked).toEqual(['silent']);
  });

  it('holds up none that was in time before', () => {
    const { ask, answer, past, asked, heard } = aSystem();
    past('honest', 500, 'bank');
    for (let i = 0; i < 500; i += 1) ask(`silent${i}`);
    ask('honest', 'bank');
    answer('honest');
    expect(asked).toEqual(['silent0', 'honest']);
    expect(heard).toEqual(['honest 192.0.2.1']);
  });

  it('comes after those that nobody has asked for yet, when it is asked for again', () => {
    const { ask, answer, past, asked } = aSystem();
    past('slow', 501);
    ask('first');
    ask('slow');
    ask('new');
    answer('first');
    answer('new');
    expect(asked).toEqual(['first', 'new', 'slow']);
  });

  it('is one like all others once it is in time again', () => {
    const { ask, past, asked } = aSystem();
    past('slow', 501);
    past('slow', 0);
    ask('new');
    ask('slow');
    expect(asked).toEqual(['new', 'slow']);
  });

  it.each([
    ['nobody has asked for', []],
    ['was in time', ['a', 'b', 'c', 'd', 'honest']],
  ])('lets a name of another have its turn that %s, before all that one has', (_, known) => {
    const { ask, answer, past, asked } = aSystem();
    for (const name of known) past(name, 0, name === 'honest' ? 'bank' : 'shop');
    for (const name of ['a', 'b', 'c', 'd']) ask(name);
    ask('honest', 'bank');
    answer('a');
    answer('b');
    expect(asked).toEqual(['a', 'b', 'honest']);
  });

  it('keeps nothing of those who have given up before its turn', () => {
    const { ask, answer, asked, heard } = aSystem();
    ask('silent');
    for (let i = 0; i < 50; i += 1) ask(`more${i}`);
    vi.advanceTimersByTime(5_000);
    expect(heard).toHaveLength(51);
    expect(heard[1]).toBe(
      'more0 no turn within 5 s to have its name looked up, because other names take long; it is tried again',
    );
    answer('silent');
    expect(asked).toEqual(['silent']);
    ask('more7');
    expect(asked).toEqual(['silent', 'more7']);
    expect(vi.getTimerCount()).toBe(1);
  });

  it('keeps its place as long as one of several waits', () => {
    const { ask, answer, asked } = aSystem();
    ask('silent');
    ask('a');
    vi.advanceTimersByTime(3_000);
    ask('a');
    vi.advanceTimersByTime(2_000);
    answer('silent');
    expect(asked).toEqual(['silent', 'a']);
  });
});

it('goes on after what cannot be looked up at all', () => {
  const heard: unknown[] = [];
  const look = nameLookups((hostname, _, found) => {
    if (hostname === 'a') throw new TypeError('no name');
    found(null, [address]);
  });
  for (const hostname of ['a', 'b'])
    look({ hostname, whose: '', options: { all: true } }, (error) => heard.push(error?.message));
  expect(heard).toEqual(['no name', undefined]);
});
