import { describe, expect, it } from 'vitest';
import { findMissedByBinding, findMissedBySet } from './lost-clusters.ts';

const now = Date.parse('2026-11-22T12:00:00.000Z');
const grace = { before: [], now, seconds: 180 };
const marks = (source?: string) => ({
  labels: {},
  annotations: source === undefined ? {} : { 'okra.mumo.co/target-group-binding': source },
});
const owner = { uid: 'mine', kind: 'AWSTargetGroupSet', name: 'web' };
const group = (source?: string, by = owner) => ({
  name: 'web',
  uid: 'u',
  arn: 'arn:web',
  owner: by,
  ...marks(source),
});
const binding = (source?: string) => ({ name: 'web', uid: 'b', spec: '{}', owner, ...marks(source) });
const cdk1 = { secret: 'cdk1', name: 'cdk1', labels: {} };
const readings = [{ cluster: cdk1, found: { ok: true, bindings: [] } as const }];

describe('a set', () => {
  it.each([
    ['misses a cluster whose secret is gone', [group('cdk2/default/web')], [], ['cdk2']],
    ['misses one once', [group('cdk2/default/web')], [binding('cdk2/rendered/web')], ['cdk2']],
    ['misses one that has a binding of its template', [], [binding('cdk2/rendered/web')], ['cdk2']],
    ['misses none that is there', [group('cdk1/default/web')], [binding('cdk1/rendered/web')], []],
    ['misses none of another set', [group('cdk2/default/web', { ...owner, uid: 'other' })], [], []],
    ['misses none that nobody knows', [group()], [binding()], []],
  ])('%s', (_, groups, bindings, want) => {
    const spec = { generators: [] };
    const observed = { uid: 'mine', name: 'web', spec, readings, groups, bindings, grace };
    const { missed, problems } = findMissedBySet(observed);
    expect(missed.missing.map(({ name }) => name)).toEqual(want);
    expect(problems.map(({ cluster }) => cluster)).toEqual(want);
  });

  it('keeps what has lost where it is from for as long as it misses any', () => {
    const groups = [group('cdk2/default/web')];
    const observed = {
      uid: 'mine',
      name: 'web',
      spec: { generators: [] },
      readings,
      groups,
      bindings: [],
      grace,
    };
    expect(findMissedBySet(observed).isAwaited(group())).toBe(true);
    expect(findMissedBySet({ ...observed, groups: [] }).isAwaited(group())).toBe(false);
  });
});

describe('a binding', () => {
  const ours = (...ids: string[]) => [{ name: 'a', port: 80, ids, byCluster: [{ cluster: 'cdk1', ids }] }];
  const selecting = [{ name: 'a', port: 80, clusterSelector: { matchLabels: { role: 'web' } } }];
  const naming = [{ name: 'a', port: 80, clusterName: 'cdk1' }];
  it.each([
    ['misses a cluster that is gone', ours('i-a'), selecting, [], ['cdk1']],
    ['misses none that has a secret, and is not selected', ours('i-a'), selecting, ['cdk1'], []],
    ['misses none that it names, and keeps what it had for good', ours('i-a'), naming, [], []],
    ['misses none in which nothing was found', ours(), selecting, [], []],
    ['misses none when it does not look for clusters', ours('i-a'), [], undefined, []],
  ])('%s', (_, before, targets, secrets, want) => {
    const { missing, problems } = findMissedByBinding(before, { targets, secrets }, grace);
    expect(missing.map(({ name }) => name)).toEqual(want);
    expect(problems.map(({ reason }) => reason)).toEqual(want.map(() => 'ClusterMissing'));
  });
});
