import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonical, sameValue } from './canonical.ts';

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

describe('two values', () => {
  it.each([
    ['keys in another order', { b: { d: 2, c: 1 }, a: 1 }, { a: 1, b: { c: 1, d: 2 } }, true],
    ['what has no value', { a: 1, b: undefined }, { a: 1 }, true],
    ['what has no value, in the other', { a: 1 }, { b: undefined, a: 1 }, true],
    ['another number', { a: { b: [1, 2] } }, { a: { b: [1, 3] } }, false],
    ['something more', { a: 1 }, { a: 1, b: null }, false],
    ['something less', [1, 2], [1], false],
    ['a list for an object', { a: [] }, { a: {} }, false],
    ['a text for a number', { a: '1' }, { a: 1 }, false],
    ['null for an object', { a: null }, { a: {} }, false],
    ['a key that every object inherits', { toString: 1 }, {}, false],
  ])('are the same or not: %s', (_, a, b, want) => {
    expect(sameValue(a, b)).toBe(want);
    expect(canonical(a) === canonical(b)).toBe(want);
  });

  it('are the same when they make the same text', () => {
    const few = fc.constantFrom('a', 'b', 'toString', '__proto__');
    const value = fc.object({
      key: few,
      maxDepth: 2,
      maxKeys: 2,
      values: [fc.constantFrom(0, 1, null, 'a')],
    });
    fc.assert(
      fc.property(value, value, (a, b) => {
        const copy = structuredClone(a);
        expect(sameValue(a, copy)).toBe(true);
        expect(sameValue(a, b)).toBe(canonical(a) === canonical(b));
      }),
      { numRuns: 1000 },
    );
  });
});
