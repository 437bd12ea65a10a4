import fc from 'fast-check';
import semver from 'semver';
import { describe, expect, it } from 'vitest';
import { cell } from '../../crds/cell.ts';
import { cell as aCellSpec } from '../../test/support/samples/cell.ts';
import { compareVersions, groupByVersion, isNewer, isSameVersion, parseVersion } from './version.ts';

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
    ['2', '2.0.0'],
    ['v2', '2.0.0'],
    ['v1.4', '1.4.0'],
    ['1.4-rc.1', '1.4.0-rc.1'],
    ['v2-rc.1', '2.0.0-rc.1'],
    ['2+build.7', '2.0.0+build.7'],
    ['v1.4-rc.1+build.007', '1.4.0-rc.1+build.007'],
    ['2+build_7', undefined],
    [`2+${'a'.repeat(62)}`, undefined],
    [' v2 ', '2.0.0'],
    ['0', '0.0.0'],
    [`1-${'a'.repeat(61)}`, `1.0.0-${'a'.repeat(61)}`],
    ['latest', undefined],
    ['', undefined],
    ['v', undefined],
    ['vv2', undefined],
    ['V2', undefined],
    ['=2', undefined],
    ['2.', undefined],
    ['.2', undefined],
    ['1.2.3.4', undefined],
    ['1.x', undefined],
    ['2024-2-1', undefined],
    ['v1-31', undefined],
    ['1-31.rc', undefined],
    ['1.31-2', '1.31.0-2'],
    ['2024.01', undefined],
    ['1.2_3', undefined],
    ['1-', undefined],
    ['1-rc..1', undefined],
    ['1.0.0-01', undefined],
    ['9999999999999999', undefined],
    [`1-${'a'.repeat(250)}`, undefined],
  ])('reads %j as %j', (text, want) => expect(parseVersion(text)).toBe(want));

  it('reads what it has read as the same again', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^v?[0-9]{1,2}(\.[0-9]{1,2}){0,2}([-+][a-z0-9.]{1,60})?$/), (text) => {
        const version = parseVersion(text);
        expect(parseVersion(version ?? '')).toBe(version);
      }),
    );
  });

  it('reads as a version what spec.version of a Cell takes, and nothing else', () => {
    const texts = fc.stringMatching(
      /^v{0,2}[0-9]{1,3}(\.[0-9]{1,3}){0,3}(-[a-z0-9.-]{0,6})?([+][a-z0-9.]{0,6})?$/,
    );
    fc.assert(
      fc.property(texts, (text) => {
        const isTaken = cell.parseSpec(aCellSpec({ version: text })).ok;
        expect([text, isTaken]).toEqual([text, parseVersion(text) !== undefined]);
      }),
    );
  });
});

describe('isSameVersion', () => {
  it.each([
    ['v2', '2.0.0', true],
    ['2', '2', true],
    ['1.4-rc.1', '1.4.0-rc.1', true],
    ['2', '2.0.1', false],
    ['2+build.7', '2.0.0+build.7', true],
    ['2.0.0+build.7', '2.0.0+build.8', false],
    ['2.0.0+build.7', '2.0.0', false],
    ['latest', 'latest', true],
    ['latest', '1.0.0', false],
  ])('%s and %s: %s', (a, b, want) => expect(isSameVersion(a, b)).toBe(want));
});

describe('isNewer', () => {
  it.each([
    ['1.10.0', '1.9.0', true],
    ['1.10.0', '1.10.0-rc.1', true],
    ['1.10.0-rc.1', '1.9.0', true],
    ['1.9.0', '1.9.0', false],
    ['v2', '1.10.0', true],
    ['v2', '2.0.0', false],
    ['1.0.0', 'latest', true],
    ['latest', '1.0.0', false],
    ['latest', 'newest', false],
    ['1.0.0-20261123235959124', '1.0.0-20261123235959123', true],
    ['1.0.0-20261123235959123', '1.0.0-20261123235959124', false],
    ['1.0.0-20261123235959124.0', '1.0.0-20261123235959123.1', true],
    ['1.0.0-100000000000000000', '1.0.0-99999999999999999', true],
    ['1.0.0-a', '1.0.0-20261123235959124', true],
    ['2.0.0+build.8', '2.0.0+build.7', true],
    ['2.0.0+build.10', '2.0.0+build.9', true],
    ['2.0.0+build.010', '2.0.0+build.9', true],
    ['2.0.0+build.7', '2.0.0', true],
    ['2.0.0+build.7.1', '2.0.0+build.7', true],
    ['2.0.0+20261123235959124', '2.0.0+20261123235959123', true],
    ['2.0.0-rc.1+build.9', '2.0.0-rc.1+build.8', true],
    ['2.0.0', '2.0.0-rc.1+build.9', true],
    ['2.0.1', '2.0.0+build.9', true],
  ])('%s over %s: %s', (a, b, want) => expect(isNewer(a, b)).toBe(want));
});

describe('the order of versions', () => {
  it('is that of semver, and where that has none by the build metadata', () => {
    const texts = fc.stringMatching(
      /^[0-2]\.[0-2]\.[0-2](-([a-bA-B-]{1,2}|[1-9][0-9]?)(\.([a-b-]|[0-9])){0,2})?([+]([a-b-]|[1-9][0-9]?)(\.[0-9])?)?$/,
    );
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        expect(Math.sign(compareVersions(a, b))).toBe(semver.compareBuild(a, b));
      }),
    );
  });

  it('takes only what is one version for equal', () => {
    const texts = fc.stringMatching(/^2(-[0-1a]{1,2})?([+][0-1a]{1,3})?$/);
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        expect(compareVersions(a, b) === 0).toBe(
          parseVersion(a) === undefined ? parseVersion(b) === undefined : isSameVersion(a, b),
        );
      }),
    );
  });
});

describe('groupByVersion', () => {
  it('puts the newest version first and the groups in the order of their names', () => {
    const { sets } = groupByVersion([group('b2', '1.10.0'), group('a', '1.9.0'), group('b1', 'v1.10.0')]);
    expect(sets.map((set) => [set.version, set.groups.map((one) => one.name)])).toEqual([
      ['1.10.0', ['b1', 'b2']],
      ['1.9.0', ['a']],
    ]);
  });

  it('has one set for a version, however its labels write it', () => {
    const { sets } = groupByVersion([group('a', 'v2'), group('b', '2.0.0'), group('c', '2.0')]);
    expect(sets.map((set) => [set.version, set.groups.map((one) => one.name)])).toEqual([
      ['2.0.0', ['a', 'b', 'c']],
    ]);
  });

  it('sets a group with a bad label apart, says why, and keeps the others', () => {
    const { sets, rejected } = groupByVersion([group('x', 'latest'), group('y'), group('a', '1.0.0')]);
    expect(sets).toHaveLength(1);
    expect(rejected.map((one) => [one.name, one.reason])).toEqual([
      ['x', 'InvalidVersion'],
      ['y', 'MissingVersion'],
    ]);
    expect(rejected[0]?.message).toContain('Invalid version "latest"');
  });
});
