import { describe, expect, it } from 'vitest';
import { parseDuration } from './duration.ts';

describe('parseDuration', () => {
  it.each([
    [30, 30],
    ['30', 30],
    ['5s', 5],
    ['10m', 600],
    ['1h30m', 5400],
    ['0', 0],
  ])('reads %j as %i seconds', (value, want) => expect(parseDuration(value)).toBe(want));

  it.each(['5x', '', 's', '1m1h', '-5s', '1.5s'])('refuses %j and says what it expected', (value) => {
    expect(() => parseDuration(value)).toThrow(/invalid duration /);
  });
});
