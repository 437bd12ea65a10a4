import { expect, it } from 'vitest';
import { newest, newestOfEach } from './newest.ts';

it('keeps what was made for the names that were asked for last', () => {
  const made: string[] = [];
  const of = newest<{ readonly name: string }>(2);
  const ask = (name: string) => of(name, () => (made.push(name), { name }));
  const first = ask('a');
  ask('b');
  expect(ask('a')).toBe(first);
  ask('c');
  expect(ask('a')).toBe(first);
  expect(ask('b')).toEqual({ name: 'b' });
  expect(made).toEqual(['a', 'b', 'c', 'b']);
});

it('forgets of those who have the most what they have had for longest', () => {
  const { get, set } = newestOfEach<number>(3);
  set('bank', 'a', 1);
  for (const name of ['a', 'b', 'a', 'c', 'd']) set('shop', name, 2);
  expect([get('bank', 'a'), ...['a', 'b', 'c', 'd'].map((name) => get('shop', name))]).toEqual([
    1,
    undefined,
    undefined,
    2,
    2,
  ]);
  set('other', 'a', 3);
  set('another', 'a', 4);
  expect(
    ['bank', 'shop', 'other', 'another']
      .flatMap((who) => ['a', 'b', 'c', 'd'].map((name) => get(who, name)))
      .filter((value) => value !== undefined),
  ).toHaveLength(3);
  expect(get('another', 'a')).toBe(4);
});
