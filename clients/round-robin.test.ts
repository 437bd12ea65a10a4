import { expect, it } from 'vitest';
import { roundRobin } from './round-robin.ts';

/** All that waits, in the order of its turns. */
const order = (line: ReturnType<typeof roundRobin<string>>): string[] => {
  const out: string[] = [];
  for (let next = line.next(); next !== undefined; next = line.next()) out.push(next);
  return out;
};

it('gives each a turn after the other, however much one asks for', () => {
  const line = roundRobin<string>();
  for (const what of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) line.add(what.slice(0, 1), what);
  expect(order(line)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  expect(line.next()).toBeUndefined();
});

it('lets one come last who had a turn just now', () => {
  const line = roundRobin<string>();
  for (const what of ['a1', 'a2', 'a3']) line.add('a', what);
  expect(line.next()).toBe('a1');
  line.add('b', 'b1');
  expect(order(line)).toEqual(['a2', 'b1', 'a3']);
});

it('forgets what is not waited for any more', () => {
  const line = roundRobin<string>();
  line.add('a', 'a1');
  line.add('b', 'b1');
  line.remove('a', 'a1');
  line.remove('a', 'never there');
  expect(order(line)).toEqual(['b1']);
});
