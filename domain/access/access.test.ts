import { describe, expect, it } from 'vitest';
import type { AccessPolicySpec } from '../../crds/access-policy.ts';
import { accessOf, mayUse, refusalOf, type Use } from './access.ts';

const aPolicy = (name: string, spec: Partial<AccessPolicySpec> = {}) => ({
  metadata: { name },
  spec: { namespaces: [name], ...spec },
});

const group = (name: string): string =>
  `arn:aws:elasticloadbalancing:eu-central-1:111122223333:targetgroup/${name}/0123456789abcdef`;
const listener = (name: string): string =>
  `arn:aws:elasticloadbalancing:eu-central-1:111122223333:listener/app/${name}/1/2`;

describe('what a namespace may use', () => {
  it.each([
    ['there is no AccessPolicy', []],
    ['all AccessPolicies are about others', [aPolicy('bank'), aPolicy('team', { namespaces: ['shop-*'] })]],
  ])('is everything while %s', (_, policies) => {
    expect(accessOf('shop', policies)).toBeUndefined();
    expect(mayUse(undefined, { of: 'Listener', arn: listener('bank') })).toBe(true);
  });

  it('is nothing when an AccessPolicy names it that lists nothing', () => {
    const access = accessOf('shop', [aPolicy('everybody', { namespaces: ['*'] })]);
    const uses: readonly Use[] = [
      { of: 'Role', arn: 'arn:aws:iam::111122223333:role/okra' },
      { of: 'Cluster', arn: 'arn:aws:eks:eu-central-1:111122223333:cluster/prod' },
      { of: 'Server', host: 'cluster.example' },
      { of: 'TargetGroup', arn: group('shop') },
      { of: 'NewTargetGroup', region: 'eu-central-1', name: 'shop' },
      { of: 'Listener', arn: listener('shop') },
      { of: 'Metrics', source: 'datadog/datadoghq.eu' },
      { of: 'Image', image: 'busybox' },
    ];
    expect(uses.filter((use) => mayUse(access, use))).toEqual([]);
  });

  it('is what any of its AccessPolicies lists, and nothing of those of others', () => {
    const access = accessOf('shop', [
      aPolicy('everybody', { namespaces: ['*'], listeners: [listener('common')] }),
      aPolicy('shop', { listeners: [listener('shop*')] }),
      aPolicy('bank', { listeners: [listener('bank')] }),
    ]);
    const asked = ['common', 'shop', 'shop-2', 'bank'];
    expect(asked.filter((name) => mayUse(access, { of: 'Listener', arn: listener(name) }))).toEqual([
      'common',
      'shop',
      'shop-2',
    ]);
    expect(access?.policies).toEqual(['everybody', 'shop']);
  });

  describe('while an AccessPolicy is there that cannot be read', () => {
    const readable = aPolicy('shop', { listeners: [listener('shop')] });
    const others = aPolicy('bank', { listeners: [listener('bank')] });
    it.each([
      ['has no spec', undefined],
      ['names no namespaces', { listeners: ['*'] }],
      ['has an empty list of them', { namespaces: [], listeners: ['*'] }],
      ['has something else in their place', { namespaces: 'bank', listeners: ['*'] }],
      ['names a namespace that is none', { namespaces: ['bank', 1], listeners: ['*'] }],
    ])('that %s, is what the others list, and nothing without one', (_, spec) => {
      const odd = { metadata: { name: 'odd' }, spec: spec as unknown as AccessPolicySpec };
      const uses = ['shop', 'bank'].map((name): Use => ({ of: 'Listener', arn: listener(name) }));
      const allowed = (policies: Parameters<typeof accessOf>[1]): readonly boolean[] =>
        uses.map((use) => mayUse(accessOf('shop', policies), use));
      expect(allowed([odd, readable, others])).toEqual([true, false]);
      expect(allowed([odd, others])).toEqual([false, false]);
    });

    it.each([
      ['a list', { listeners: listener('shop') }],
      ['a pattern', { listeners: [listener('shop'), 1] }],
      ['a role', { roles: [{}] }],
    ])('in %s, is nothing of what that one lists, and says so', (_, odd) => {
      const spec = { namespaces: ['shop'], targetGroups: ['*'], ...odd } as unknown as AccessPolicySpec;
      const access = accessOf('shop', [{ metadata: { name: 'odd' }, spec }]);
      const use: Use = { of: 'TargetGroup', arn: group('shop') };
      expect(refusalOf(access, use)).toContain('The spec of odd is invalid, so it allows nothing.');
      expect(accessOf('bank', [{ metadata: { name: 'odd' }, spec }])).toBeUndefined();
    });
  });

  it.each([
    ['of its name', 'shop-web', true],
    ['of another name', 'bank-web', false],
  ])('are new target groups %s where some that they might become are listed', (_, name, want) => {
    const access = accessOf('shop', [aPolicy('shop', { targetGroups: [group('shop-*')] })]);
    expect(mayUse(access, { of: 'NewTargetGroup', region: 'eu-central-1', name })).toBe(want);
    expect(mayUse(access, { of: 'NewTargetGroup', region: 'eu-west-1', name })).toBe(false);
  });

  it.each([
    ['of any account', 'arn:aws:eks:eu-central-1:*:cluster/shop', true],
    ['of some account', 'arn:aws:eks:eu-central-1:111122223333:cluster/shop', true],
    ['of another name', 'arn:aws:eks:eu-central-1:*:cluster/bank', false],
    ['of another region', 'arn:aws:eks:eu-west-1:*:cluster/shop', false],
  ])('may be a cluster before EKS was asked where one %s is listed', (_, pattern, want) => {
    const access = accessOf('shop', [aPolicy('shop', { clusters: [pattern] })]);
    expect(mayUse(access, { of: 'NamedCluster', region: 'eu-central-1', name: 'shop' })).toBe(want);
  });

  it('is said of a cluster without the account, which may be that of Okra', () => {
    const access = accessOf('shop', [aPolicy('shop')]);
    const arn = 'arn:aws:eks:eu-central-1:111122223333:cluster/bank';
    const said = refusalOf(access, { of: 'Cluster', arn });
    expect(said).toContain('(shop) lets namespace shop use EKS cluster bank in eu-central-1');
    expect(refusalOf(access, { of: 'NamedCluster', region: 'eu-central-1', name: 'bank' })).toBe(said);
  });

  it('is said with the names of the AccessPolicies that lack it, and without what others may use', () => {
    const access = accessOf('shop', [aPolicy('shop', { targetGroups: [group('secret')] })]);
    const said = refusalOf(access, { of: 'TargetGroup', arn: group('bank') });
    expect(said).toBe(
      `No AccessPolicy (shop) lets namespace shop use target group ${group('bank')}. Use another one, or have it added to spec.targetGroups.`,
    );
    expect(refusalOf(access, { of: 'TargetGroup', arn: group('secret') })).toBeUndefined();
  });
});
