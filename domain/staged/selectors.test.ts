import { describe, expect, it } from 'vitest';
import type { Stage } from '../../crds/staged-binding-policy.ts';
import { mayShare } from './selectors.ts';

type Selectors = Stage['clusterSelectors'];

const env = (value: string): Selectors => [{ matchLabels: { env: value } }];
const oneOf = (...values: string[]): Selectors => [
  { matchExpressions: [{ key: 'env', operator: 'In', values }] },
];
const NOT_EU: Selectors = [{ matchExpressions: [{ key: 'env', operator: 'NotIn', values: ['eu'] }] }];

describe('two stages', () => {
  it.each<[string, Selectors, Selectors, boolean]>([
    ['with the same label', env('eu'), env('eu'), true],
    ['with different values of a label', env('eu'), env('us'), false],
    ['with different labels', env('eu'), [{ matchLabels: { ring: '1' } }], true],
    ['of which one has a value of the other', env('eu'), oneOf('eu', 'us'), true],
    ['of which one has no value of the other', env('eu'), oneOf('us', 'asia'), false],
    ['of which one selects all', env('eu'), [{}], true],
    ['of which any selector may match', [...env('us'), ...env('eu')], env('eu'), true],
    ['of which one has an expression that is not looked into', env('eu'), NOT_EU, true],
  ])('%s', (_, a, b, isShared) => {
    expect([mayShare(a, b), mayShare(b, a)]).toEqual([isShared, isShared]);
  });

  it('of which one is not known', () => {
    expect(mayShare(undefined, env('eu'))).toBe(true);
  });
});
