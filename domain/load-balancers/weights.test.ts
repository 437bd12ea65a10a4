import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { everythingTo, gaining, sameShares, shares, split, weightOf } from './weights.ts';

const groups = (...names: string[]) => names.map((name) => ({ name, arn: `arn:${name}` }));
const weights = (list: readonly { name: string; weight: number }[]) =>
  Object.fromEntries(list.map((one) => [one.name, one.weight]));

describe('split', () => {
  it.each([
    ['gives all to one group', 100, ['a'], { a: 100 }],
    ['halves', 100, ['a2', 'a1'], { a1: 50, a2: 50 }],
    ['gives the larger share to the last by name', 100, ['a', 'b', 'c'], { a: 33, b: 33, c: 34 }],
    ['lets shares differ by one only', 20, ['a', 'b', 'c'], { a: 6, b: 7, c: 7 }],
    ['gives nothing to each', 0, ['a', 'b'], { a: 0, b: 0 }],
  ])('%s', (_, total, names, want) => expect(weights(split(total, groups(...names)))).toEqual(want));

  it('adds up to the total, with shares that differ by at most one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 1, max: 5 }), (total, count) => {
        const parts = split(total, groups(...Array.from({ length: count }, (_, i) => `g${i}`))).map(
          (g) => g.weight,
        );
        expect(parts.reduce((a, b) => a + b, 0)).toBe(total);
        expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('shares', () => {
  it('moves the weights of both sides together', () => {
    expect(weights(shares(groups('a1', 'a2'), groups('b1', 'b2'), 20))).toEqual({
      a1: 40,
      a2: 40,
      b1: 10,
      b2: 10,
    });
  });

  it('keeps the canary in the rule at 0', () => {
    expect(weights(shares(groups('a'), groups('b'), 0))).toEqual({ a: 100, b: 0 });
  });
});

describe('everythingTo', () => {
  it('keeps the others at 0 and never lists a group twice', () => {
    expect(weights(everythingTo(groups('b'), groups('a', 'b')))).toEqual({ a: 0, b: 100 });
  });
});

describe('comparing', () => {
  const served = [
    { name: 'a', arn: 'arn:a', weight: 80 },
    { name: 'b', arn: 'arn:b', weight: 20 },
  ];

  it('ignores order', () => expect(sameShares(served, served.toReversed())).toBe(true));

  it('sees another weight', () =>
    expect(sameShares(served, [served[0]!, { ...served[1]!, weight: 21 }])).toBe(false));

  it('finds the groups that gain, new ones included', () => {
    const next = [...groups('a', 'b', 'c')].map((g, i) => ({ ...g, weight: [60, 20, 20][i]! }));
    expect(gaining(next, served).map((g) => g.name)).toEqual(['c']);
  });

  it('adds up a side', () => expect(weightOf(groups('b', 'x'), served)).toBe(20));
});
