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
    const { ask, past, asked } = aSystem();
    past('a', 0);
    ask('a');
    ask('a', 'shop', 6);
    ask('a', 'bank');
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
    expect(asked).toEqual(['silent0', 'silent1', 'honest']);
    expect(heard).toEqual(['honest 192.0.2.1']);
  });

  it.each([
    ['that nobody has asked for', []],
    ['that were in time', ['a', 'b', 'c', 'd', 'honest']],
  ])('has a namespace take half of the threads for names %s, at most', (_, known) => {
    const { ask, past, asked } = aSystem();
    for (const name of known) past(name, 0, name === 'honest' ? 'bank' : 'shop');
    for (const name of ['a', 'b', 'c', 'd']) ask(name);
    ask('honest', 'bank');
    expect(asked).toEqual(['a', 'b', 'honest']);
  });

  it('holds up none that was in time before, however many names another namespace has', () => {
    const { ask, past, asked } = aSystem();
    past('honest', 0, 'bank');
    for (let i = 0; i < 10_001; i += 1) past(`quick${i}`, 0);
    for (const whose of ['shop', 'other'])
      for (const name of ['silent', 'silent2']) ask(`${name}-${whose}`, whose);
    ask('honest', 'bank');
    expect(asked.at(-1)).toBe('honest');
  });

  it('is looked up beside no others, one of each namespace at once, when it is asked for again', () => {
    const { ask, answer, past, asked } = aSystem();
    for (const name of ['slow', 'slower']) past(name, 501);
    past('late', 501, 'bank');
    for (const name of ['slow', 'slower', 'new']) ask(name);
    ask('late', 'bank');
    expect(asked).toEqual(['slow', 'new', 'late']);
    answer('slow');
    expect(asked).toEqual(['slow', 'new', 'late', 'slower']);
  });

  it('is one like all others once it is in time again', () => {
    const { ask, past, asked } = aSystem();
    for (const name of ['slow', 'slower']) past(name, 501);
    past('slow', 0);
    ask('slower');
    ask('slow');
    expect(asked).toEqual(['slower', 'slow']);
  });

  it('keeps nothing of those who have given up before its turn, and says that they had none', () => {
    const { ask, answer, past, asked, heard } = aSystem();
    past('late', 501);
    past('later', 501);
    for (const name of ['late', 'later']) ask(name);
    for (let i = 0; i < 50; i += 1) ask(`silent${i}`);
    vi.advanceTimersByTime(5_000);
    expect(heard).toHaveLength(52);
    const noTurn =
      'no turn within 5 s to have its name looked up, because other names take long; it is tried again';
    expect(heard).toContain(`silent2 ${noTurn}`);
    expect(heard).toContain(`later ${noTurn}`);
    expect(heard.filter((one) => one.includes('no answer within 5 s'))).toHaveLength(3);
    for (const name of ['late', 'silent0', 'silent1']) answer(name);
    expect(asked).toEqual(['late', 'silent0', 'silent1']);
    ask('silent7');
    expect(asked).toEqual(['late', 'silent0', 'silent1', 'silent7']);
    expect(vi.getTimerCount()).toBe(1);
  });

  it('keeps its place as long as one of several waits', () => {
    const { ask, answer, asked } = aSystem();
    for (const name of ['silent', 'silent2', 'a']) ask(name);
    vi.advanceTimersByTime(3_000);
    ask('a');
    vi.advanceTimersByTime(2_000);
    answer('silent');
    expect(asked).toEqual(['silent', 'silent2', 'a']);
  });
});

/** Names that are asked for again, some seconds later, as long as they are not answered, by a system that takes as long as the test says. */
function aNetwork(take: (hostname: string) => number) {
  const look = nameLookups(
    (hostname, _, found) => {
      const isSilent = hostname.startsWith('silent');
      setTimeout(
        () => found(isSilent ? new Error('EAI_AGAIN') : null, isSilent ? [] : [address]),
        take(hostname),
      );
    },
    { now: () => Date.now() },
  );
  const answered = new Set<string>();
  let waits = 0;
  const ask = (hostname: string, whose: string): void =>
    look({ hostname, whose, options: { all: true } }, (error) => {
      if (error === null) answered.add(hostname);
      // 7.5 to 15 s, and always the same ones.
      else setTimeout(() => ask(hostname, whose), 7_500 + (((waits += 1) * 2_287) % 7_500));
    });
  return { look, ask, answered };
}

describe('names of others', () => {
  it('are answered after a restart though all names of a namespace are silent', () => {
    const { ask, answered } = aNetwork((name) => (name.startsWith('silent') ? 10_000 : 10));
    for (let i = 0; i < 200; i += 1) ask(`silent${i}`, 'shop');
    for (let i = 0; i < 100; i += 1) ask(`honest${i}`, 'bank');
    vi.advanceTimersByTime(1_000);
    expect(answered.size).toBe(100);
  });

  it('are answered soon though those of several namespaces are silent', () => {
    const { ask, answered } = aNetwork((name) => (name.startsWith('silent') ? 10_000 : 10));
    for (let i = 0; i < 300; i += 1) ask(`silent${i}`, `shop${i % 3}`);
    for (let i = 0; i < 100; i += 1) ask(`honest${i}`, 'bank');
    vi.advanceTimersByTime(60_000);
    expect(answered.size).toBeGreaterThan(90);
  });

  it('are answered though one is late, and another namespace has ever new ones that are silent', () => {
    const { look } = aNetwork((name) => (name.startsWith('silent') ? 10_000 : 600));
    const heard: (string | undefined)[] = [];
    const ask = (hostname: string, whose: string): void =>
      look({ hostname, whose, options: { all: true } }, (error) => {
        if (whose === 'bank') heard.push(error?.message);
      });
    ask('honest', 'bank');
    vi.advanceTimersByTime(1_000);
    for (let i = 0; i < 720; i += 1) {
      for (const one of ['a', 'b', 'c']) ask(`silent-${one}${i}`, 'shop');
      ask('honest', 'bank');
      vi.advanceTimersByTime(5_000);
    }
    expect(heard).toHaveLength(721);
    expect(new Set(heard)).toEqual(new Set([undefined]));
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
