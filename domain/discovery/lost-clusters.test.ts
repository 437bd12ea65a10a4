import { describe, expect, it } from 'vitest';
import { bindingLosesCluster, setLosesCluster } from './lost-clusters.ts';

const group = (source: string) => ({
  name: 'web',
  uid: 'u',
  arn: 'arn:web',
  labels: {},
  annotations: { 'okra.mumo.co/target-group-binding': source },
});
const nothing = { create: [], update: [], delete: [] };
const deleting = { ...nothing, delete: [{ name: 'web', uid: 'u' }] };
const cdk1 = { secret: 'cdk1', name: 'cdk1', labels: {} };
const readings = [{ cluster: cdk1, found: { ok: true, bindings: [] } as const }];

describe('a set', () => {
  it.each([
    ['loses a cluster whose secret is gone', deleting, nothing, 'cdk2/default/web', true],
    ['loses none whose binding is gone', deleting, nothing, 'cdk1/default/web', false],
    ['loses none when nothing is deleted', nothing, nothing, 'cdk2/default/web', false],
    ['may lose one with a binding of its own', nothing, deleting, 'cdk1/default/web', true],
  ])('%s', (_, groups, bindings, source, want) => {
    expect(setLosesCluster({ groups, bindings }, { readings, groups: [group(source)] })).toBe(want);
  });
});

describe('a binding', () => {
  const ours = (...ids: string[]) => [{ name: 'a', port: 80, ids, byCluster: [{ cluster: 'cdk1', ids }] }];
  it.each([
    ['loses a cluster that is gone', ours('i-a'), [], true],
    ['loses none that is there', ours('i-a'), [cdk1], false],
    ['loses none in which nothing was found', ours(), [], false],
  ])('%s', (_, before, clusters, want) => expect(bindingLosesCluster(before, clusters)).toBe(want));
});
