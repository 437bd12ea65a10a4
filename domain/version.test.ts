import { describe, expect, it } from 'vitest';
import { groupByVersion, isNewer, parseVersion } from './version.ts';

const group = (name: string, version?: string) => ({
  name,
  arn: `arn:${name}`,
  ...(version === undefined ? {} : { version }),
});

describe('parseVersion', () => {
  it.each([
    ['1.2.3', '1.2.3'],
    ['v1.2.3', '1.2.3'],
    ['1.10.0-rc.1', '1.10.0-rc.1'],
    ['v2', undefined],
    ['latest', undefined],
    ['', undefined],
  ])('reads %j as %j', (text, want) => expect(parseVersion(text)).toBe(want));
});

describe('isNewer', () => {
  it.each([
    ['1.10.0', '1.9.0', true],
    ['1.10.0', '1.10.0-rc.1', true],
    ['1.10.0-rc.1', '1.9.0', true],
    ['1.9.0', '1.9.0', false],
  ])('%s over %s: %s', (a, b, want) => expect(isNewer(a, b)).toBe(want));
});

describe('groupByVersion', () => {
  it('puts the newest version first and the groups in the order of their names', () => {
    const { sets } = groupByVersion([group('b2', '1.10.0'), group('a', '1.9.0'), group('b1', 'v1.10.0')]);
    expect(sets.map((set) => [set.version, set.groups.map((one) => one.name)])).toEqual([
      ['1.10.0', ['b1', 'b2']],
      ['1.9.0', ['a']],
    ]);
  });

  it('sets a group with a bad label apart, says why, and keeps the others', () => {
    const { sets, rejected } = groupByVersion([group('x', 'v2'), group('y'), group('a', '1.0.0')]);
    expect(sets).toHaveLength(1);
    expect(rejected.map((one) => [one.name, one.reason])).toEqual([
      ['x', 'InvalidVersion'],
      ['y', 'MissingVersion'],
    ]);
    expect(rejected[0]?.message).toContain('got "v2"');
  });
});
