import { describe, expect, it } from 'vitest';
import { areAsNewAs } from './observation.ts';

const seen = { targetGroups: '99', freezes: '100', accessPolicies: '100' };

describe('lists that are as new as others', () => {
  it.each([
    ['the same', seen, true],
    ['newer, with more digits', { ...seen, targetGroups: '100' }, true],
    ['newer than 2^53', { ...seen, freezes: '9007199254740993' }, true],
    ['older Freezes', { ...seen, freezes: '99' }, false],
    ['older target groups', { ...seen, targetGroups: '98' }, false],
    ['older AccessPolicies', { ...seen, accessPolicies: '20' }, false],
    ['Freezes that were not installed', { ...seen, freezes: undefined }, false],
    ['a version that is no number', { ...seen, freezes: 'abc' }, false],
    ['no version at all', {}, false],
  ])('%s', (_, lists, isNew) => {
    expect(areAsNewAs(lists, seen)).toBe(isNew);
  });

  it('takes versions that are no numbers when they are the same', () => {
    expect(areAsNewAs({ ...seen, freezes: 'abc' }, { ...seen, freezes: 'abc' })).toBe(true);
  });

  it('takes nothing for as new as what has come since a kind was installed', () => {
    expect(areAsNewAs(seen, { ...seen, freezes: undefined })).toBe(false);
  });
});
