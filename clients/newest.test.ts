import { expect, it } from 'vitest';
import { newest } from './concurrency.ts';

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
