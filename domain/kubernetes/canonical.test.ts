import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical } from './canonical.ts';

describe('a value as one text', () => {
  it.each([
    ['keys in order', { a: 1, b: { c: [1, 2] } }, '{"a":1,"b":{"c":[1,2]}}'],
    ['keys in another order', { b: { d: 2, c: 1 }, a: 1 }, '{"a":1,"b":{"c":1,"d":2}}'],
    ['objects in lists', [{ b: 2, a: 1 }, null, 'x'], '[{"a":1,"b":2},null,"x"]'],
    ['what has no value', { b: undefined, a: null }, '{"a":null}'],
    ['keys that differ by case, or by accent', { é: 1, b: 2, B: 3 }, '{"B":3,"b":2,"é":1}'],
  ])('has %s in one order', (_, value, want) => {
    expect(canonical(value)).toBe(want);
  });

  it('is the same for the same, in whichever order its keys were written', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .map(([key, one]) => [key, reversed(one)] as const)
          .toReversed(),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(canonical(reversed(value))).toBe(canonical(value));
        // The sign of zero is not in JSON.
        expect(JSON.parse(canonical(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
