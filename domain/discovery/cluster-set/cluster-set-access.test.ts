import { describe, expect, it } from 'vitest';
import type { AccessPolicySpec } from '../../../crds/access-policy.ts';
import { accessOf } from '../../access/access.ts';
import { allowedClusters, allowedIds, generatorRefusal } from './cluster-set-access.ts';
import type { SourcedCluster } from './cluster-set.ts';

const arnOf = (name: string): string => `arn:aws:eks:eu-central-1:111122223333:cluster/${name}`;
const aCluster = (name: string, tags: Record<string, string> = { of: 'all' }): SourcedCluster => ({
  id: arnOf(name),
  name,
  tags,
  state: 'Active',
  said: 'ACTIVE',
});
const accessBy = (spec: Omit<AccessPolicySpec, 'namespaces'>) =>
  accessOf('shop', [{ metadata: { name: 'shop' }, spec: { namespaces: ['shop'], ...spec } }]);
const readings = [
  {
    clusters: [aCluster('shop-1'), aCluster('bank-1'), aCluster('bank-2')],
    places: [],
    unread: [],
    failures: [],
  },
];

const generators = [{ awseks: { selector: { matchTags: { of: 'all' } } } }];

describe('the clusters of a ClusterSet', () => {
  const access = accessBy({ clusters: [arnOf('shop-*')] });

  it('are those that the namespace may use, and nobody is told which others there are', () => {
    const { readings: left, problems } = allowedClusters(generators, readings, { access, known: [] });
    expect(left).toEqual([{ clusters: [aCluster('shop-1')], places: [], unread: [], failures: [] }]);
    expect(problems).toEqual([
      {
        object: 'spec.generators[0]',
        reason: 'NotAllowed',
        message: expect.stringContaining('use 2 of the EKS clusters'),
      },
    ]);
    expect(JSON.stringify(problems)).not.toContain('bank-1');
  });

  it('are no problem when the generator does not select those that it may not use', () => {
    const clusters = [aCluster('shop-1'), aCluster('bank-1', { of: 'bank' }), aCluster('bank-2', {})];
    const { readings: left, problems } = allowedClusters(
      generators,
      [{ clusters, places: [], unread: [], failures: [] }],
      { access, known: [] },
    );
    expect(left[0]?.clusters).toEqual([aCluster('shop-1')]);
    expect(problems).toEqual([]);
  });

  it('are not named either when EKS does not describe them, unless they have a secret', () => {
    const unreadOf = (name: string, ids: readonly string[] = []) => ({
      ids,
      named: { region: 'eu-central-1', name },
      problem: { cluster: name, reason: 'AccessDenied', message: `${name} is denied` },
    });
    const unread = [unreadOf('bank-3'), unreadOf('shop-3'), unreadOf('shop-2', [arnOf('shop-2')])];
    const { readings: left } = allowedClusters(
      generators,
      [{ clusters: [], places: [], unread, failures: [] }],
      { access, known: [] },
    );
    // That which the namespace may not use anyway is no problem of its set.
    expect(left[0]?.unread.map((one) => one.problem)).toEqual([
      {
        reason: 'AccessDenied',
        message: expect.stringContaining('EKS lists clusters that it did not describe'),
      },
      { cluster: 'shop-2', reason: 'AccessDenied', message: 'shop-2 is denied' },
    ]);
  });

  it.each([
    ['lists them', readings[0]!.clusters, []],
    [
      'does not describe them',
      [aCluster('shop-1')],
      [
        {
          ids: [],
          named: { region: 'eu-central-1', name: 'bank-1' },
          problem: { cluster: 'bank-1', reason: 'AccessDenied', message: 'denied' },
        },
      ],
    ],
    ['does not know them', [aCluster('shop-1')], []],
  ])('keep secrets of others as they are, without a word of whether EKS %s', (_, clusters, unread) => {
    const { readings: left } = allowedClusters(generators, [{ clusters, places: [], unread, failures: [] }], {
      access,
      known: [arnOf('bank-1'), arnOf('shop-1')],
    });
    const message = expect.stringContaining(
      'use the EKS clusters of 1 Secrets of this ClusterSet; the Secrets are kept.',
    );
    expect(left).toEqual([
      {
        clusters: [aCluster('shop-1')],
        places: [],
        unread: [{ ids: [arnOf('bank-1')], problem: { reason: 'NotAllowed', message } }],
        failures: [],
      },
    ]);
    expect(allowedIds([arnOf('bank-1'), arnOf('shop-1')], access)).toEqual([arnOf('shop-1')]);
  });

  it('are all while no AccessPolicy is about the namespace', () => {
    expect(allowedClusters(generators, readings, { access: undefined, known: [] })).toEqual({
      readings,
      problems: [],
    });
  });
});

describe('a generator', () => {
  const roleARN = 'arn:aws:iam::111122223333:role/shop';
  it.each([
    ["Okra's own identity", {}, {}, false],
    ['a role', { roleARN }, {}, true],
    ['a role that is listed', { roleARN }, { roles: [{ arn: roleARN }] }, false],
    ['an external id that is not', { roleARN, externalID: 'bank' }, { roles: [{ arn: roleARN }] }, true],
  ])('reads as %s where it may', (_, awseks, spec, isRefused) => {
    expect(generatorRefusal({ awseks }, accessBy(spec)) !== undefined).toBe(isRefused);
    expect(generatorRefusal({ awseks }, undefined)).toBeUndefined();
  });
});
