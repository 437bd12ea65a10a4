import { describe, expect, it } from 'vitest';
import { selectTargetGroups, watchedInput, type WatchedCell, type WatchedGroup } from './watched.ts';

const group = (name: string, labels: Record<string, string>, arn = `arn:${name}`): WatchedGroup => ({
  metadata: { name, labels },
  spec: { arn },
});

const spec = {
  replicas: 1,
  ingress: { awsApplicationLoadBalancer: { targetGroupSelector: { matchLabels: { role: 'web' } } } },
};
const cell: WatchedCell = { metadata: {}, spec, status: { blockedVersions: [{ version: '1.2.0' }] } };
const paused = { ...cell.status, phase: 'Paused' };
const larger = { ...spec, replicas: 2 };
const web1 = group('web1', { role: 'web', 'okra.mumo.co/version': '1.0.0' });
const web2 = group('web2', { role: 'web', 'okra.mumo.co/version': '1.1.0' });
const api = group('api', { role: 'api', 'okra.mumo.co/version': '1.0.0' });
const before = watchedInput(cell, [web1, web2, api]);

describe('selectTargetGroups', () => {
  it('takes the groups that match, by name', () => {
    expect(selectTargetGroups(spec, [web2, api, web1])).toEqual([
      { name: 'web1', arn: 'arn:web1', version: '1.0.0' },
      { name: 'web2', arn: 'arn:web2', version: '1.1.0' },
    ]);
  });

  it('takes the version that tags in AWS say, where no label does', () => {
    expect(selectTargetGroups(spec, [tagged('web3', 'v3')])).toEqual([
      { name: 'web3', arn: 'arn:web3', version: 'v3' },
    ]);
  });

  it('keeps a group that has no version, so that it can be reported', () => {
    expect(selectTargetGroups(spec, [group('bare', { role: 'web' })])).toEqual([
      { name: 'bare', arn: 'arn:bare' },
    ]);
  });

  it.each([
    ['x'],
    [7],
    [{ matchExpressions: 'x' }],
    [{ matchExpressions: {} }],
    [{ matchExpressions: [null] }],
    [{ matchExpressions: [{ key: 'role', operator: 'NotIn', values: 7 }] }],
  ])('takes none by a selector that no schema allows: %j', (selector) => {
    const targetGroupSelector =
      typeof selector === 'object' ? { matchLabels: { role: 'web' }, ...selector } : selector;
    const odd = {
      ingress: { awsApplicationLoadBalancer: { targetGroupSelector } },
    } as unknown as typeof spec;
    expect(selectTargetGroups(odd, [web1, api])).toEqual([]);
    expect(watchedInput({ ...cell, spec: odd }, [web1])).not.toBe(before);
  });

  it.each([
    ['no spec', {}],
    ['none', { spec: null }],
    ['one without an ARN', { spec: {} }],
    ['another type', { spec: { arn: 1 } }],
  ])('leaves out a group whose spec is %s, and takes the others', (_, rest) => {
    const odd = { metadata: group('odd', { role: 'web' }).metadata, ...rest } as unknown as WatchedGroup;
    expect(selectTargetGroups(spec, [odd, web1])).toEqual(selectTargetGroups(spec, [web1]));
    expect(watchedInput(cell, [odd, web1])).toBe(watchedInput(cell, [web1]));
  });

  it('takes nothing when the Cell has no selector', () => {
    expect(selectTargetGroups({}, [web1, web2])).toEqual([]);
  });
});

const leaving = { ...web1, metadata: { ...web1.metadata, deletionTimestamp: '2026-11-20T00:00:00Z' } };

const same: [string, WatchedCell, WatchedGroup[]][] = [
  ['the order of the groups', cell, [api, web2, web1]],
  ['the order of the keys', { spec: reversed(spec), status: cell.status, metadata: {} }, [web1, web2, api]],
  ['a group that is not selected', cell, [web1, web2]],
  ['a label that says no version', cell, [withLabels(web1, { colour: 'blue' }), web2, api]],
  ['the rest of the status', { ...cell, status: paused }, [web1, web2, api]],
  ['the order of the blocked versions', blocking('1.2.0'), [web1, web2, api]],
];

const other: [string, WatchedCell, WatchedGroup[]][] = [
  ['the spec changes', { ...cell, spec: larger }, [web1, web2, api]],
  ['a version is blocked', blocking('1.2.0', '1.3.0'), [web1, web2, api]],
  ['a block is lifted', blocking(), [web1, web2, api]],
  ['the Cell is being deleted', deleted(cell), [web1, web2, api]],
  ['a selected group appears', cell, [web1, web2, api, group('web3', { role: 'web' })]],
  ['a selected group goes', cell, [web1, api]],
  ['a selected group is being deleted', cell, [leaving, web2, api]],
  ['a group stops matching', cell, [withLabels(web1, { role: 'api' }), web2, api]],
  ['a version changes', cell, [withLabels(web1, { 'okra.mumo.co/version': '1.0.1' }), web2, api]],
  ['an ARN changes', cell, [group('web1', { ...web1.metadata.labels }, 'arn:new'), web2, api]],
];

describe('watchedInput', () => {
  it.each(same)('is not touched by %s', (_, next, groups) => expect(watchedInput(next, groups)).toBe(before));
  it.each(other)('changes when %s', (_, next, groups) => expect(watchedInput(next, groups)).not.toBe(before));

  it('changes when the tags of a selected group say another version, or none any more', () => {
    const inputs = ['2.0.0', '2.1.0', undefined].map((version) =>
      watchedInput(cell, [version === undefined ? group('web3', { role: 'web' }) : tagged('web3', version)]),
    );
    expect(new Set(inputs).size).toBe(3);
  });

  it('is not touched by a tag where a label says the version', () => {
    const labelled = { ...web2, status: { version: '9.0.0' } };
    expect(watchedInput(cell, [web1, labelled, api])).toBe(before);
  });

  it('reads the same whichever order blocked versions are in', () => {
    expect(watchedInput(blocking('1.3.0', '1.2.0'), [])).toBe(watchedInput(blocking('1.2.0', '1.3.0'), []));
  });
});

/** A group without a version label, whose tags in AWS say one. */
function tagged(name: string, version = '2.0.0'): WatchedGroup {
  return { ...group(name, { role: name.replace(/\d/, '') }), status: { version } };
}

function withLabels(of: WatchedGroup, labels: Record<string, string>): WatchedGroup {
  return { ...of, metadata: { ...of.metadata, labels: { ...of.metadata.labels, ...labels } } };
}

function blocking(...versions: string[]): WatchedCell {
  return { ...cell, status: { blockedVersions: versions.map((version) => ({ version })) } };
}

function deleted(of: WatchedCell): WatchedCell {
  return { ...of, metadata: { deletionTimestamp: '2026-11-20T00:00:00Z' } };
}

function reversed<T extends object>(of: T): T {
  return Object.fromEntries(Object.entries(of).toReversed()) as T;
}
