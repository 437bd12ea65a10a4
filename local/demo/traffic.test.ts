import { describe, expect, it } from 'vitest';
import { successRate } from './traffic.ts';

const groups = new Map([
  ['arn:a', { name: 'a', version: '1.1.0' }],
  ['arn:b', { name: 'b', version: '1.2.0' }],
]);

describe('the traffic of the demo', () => {
  it.each([
    ['is good without a rule', {}, 100],
    ['is as good as what serves', { a: 100, b: 0 }, 99.8],
    ['gets worse with the weight of a bad version', { a: 80, b: 20 }, 93.84],
  ])('%s', (_, weights, want) => expect(successRate(weights, groups)).toBeCloseTo(want));
});
