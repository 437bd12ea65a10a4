import { describe, expect, it } from 'vitest';
import { SOURCE_ANNOTATION } from '../../kubernetes/labels.ts';
import { arnOf } from '../../testing/builders.ts';
import { foundBindings, inViewOf } from './binding-kinds.ts';
import type { BindingAPI, RemoteBinding } from './target-group-of-binding.ts';
import { decideTargetGroupSet } from './target-group-set.ts';
import { type ClusterReading, type ExistingGroup } from './observed-target-group-set.ts';

const ELB = 'elbv2.k8s.aws';
const EKS = 'eks.amazonaws.com';
const bound = (api: BindingAPI, name: string, changed: Partial<RemoteBinding> = {}): RemoteBinding => ({
  api,
  namespace: 'default',
  name,
  labels: { role: 'web' },
  arn: arnOf(name),
  isDeleting: false,
  ...changed,
});
const cluster = { secret: 'cdk1', name: 'cluster-1', labels: { service: 'demo' } };
const spec = { generators: [{ awseks: { clusterSelector: { matchLabels: { service: 'demo' } } } }] };
const grace = { before: [], now: 0, seconds: 0 };
const mine = { uid: 'mine', kind: 'AWSTargetGroupSet', name: 'web' };

/** What a set does with what its one cluster has, and with the groups that there are. */
function decide(bindings: readonly RemoteBinding[], groups: readonly ExistingGroup[] = []) {
  const readings: ClusterReading[] = [{ cluster, found: foundBindings([bindings, []]) }];
  const decision = decideTargetGroupSet({
    uid: 'mine',
    name: 'web',
    spec,
    readings,
    groups,
    bindings: [],
    grace,
  });
  return { ...decision.groups, problems: decision.problems.map(({ reason }) => reason) };
}
/** The groups that there are when a set has found these bindings. */
const groupsOf = (...bindings: RemoteBinding[]): ExistingGroup[] =>
  decide(bindings).create.map((wanted) => ({ ...wanted, uid: `uid-${wanted.name}`, owner: mine }));
const asWanted = { create: [], update: [], delete: [], problems: [] };

describe('TargetGroupBindings of two kinds', () => {
  it('make a group each', () => {
    const { create, problems } = decide([bound(ELB, 'web1'), bound(EKS, 'web2')]);
    expect(create.map(({ name, arn }) => [name, arn])).toEqual([
      ['default-web1', arnOf('web1')],
      ['default-web2', arnOf('web2')],
    ]);
    expect(problems).toEqual([]);
  });

  it('make a group each when they have one name and different target groups', () => {
    const twins = [bound(ELB, 'web'), bound(EKS, 'web', { arn: arnOf('other') })];
    const { create, problems } = decide(twins);
    expect(create.map(({ name, arn }) => [name, arn])).toEqual([
      ['cdk1-default-web', arnOf('web')],
      ['cdk1-default-web-eks', arnOf('other')],
    ]);
    expect(problems).toEqual([]);
    expect(decide(twins, groupsOf(...twins))).toEqual(asWanted);
  });

  it('are one binding when they say the same', () => {
    const twins = [bound(ELB, 'web'), bound(EKS, 'web')];
    expect(decide(twins, groupsOf(bound(ELB, 'web')))).toEqual(asWanted);
  });

  it.each<[string, RemoteBinding[]]>([
    ['is gone', []],
    ['is being deleted', [bound(ELB, 'web', { isDeleting: true })]],
  ])('keep their group when one takes the place of the other, which %s', (_, old) => {
    const [before] = groupsOf(bound(ELB, 'web'));
    const changed = decide([...old, bound(EKS, 'web')], groupsOf(bound(ELB, 'web')));
    expect(changed).toMatchObject({ ...asWanted, update: [{ name: before?.name, arn: before?.arn }] });
    expect(changed.update[0]?.annotations[SOURCE_ANNOTATION]).toBe('cdk1/default/web/eks.amazonaws.com');
  });
});

describe('a cluster', () => {
  const reading = (...lists: (readonly RemoteBinding[] | undefined)[]): ClusterReading => ({
    cluster,
    found: foundBindings(lists),
  });

  it.each([
    ['with the kind of the AWS Load Balancer Controller', [[], undefined]],
    ['with that of EKS Auto Mode', [undefined, []]],
    ['with both', [[], []]],
    ['with either in one of its namespaces', [undefined, undefined, undefined, []]],
  ])('%s may be read', (_, lists) => {
    const one = reading(...lists);
    expect(inViewOf(one, groupsOf(bound(ELB, 'web')))).toBe(one);
  });

  it('without any is fine when it has no groups', () => {
    const one = reading(undefined, undefined);
    expect(inViewOf(one, [])).toBe(one);
    const [other] = groupsOf(bound(ELB, 'web'));
    const elsewhere = { ...other!, annotations: { [SOURCE_ANNOTATION]: 'cdk2/default/web' } };
    expect(inViewOf(one, [elsewhere])).toBe(one);
  });

  it('without any is fine when its groups are those of the template', () => {
    const one = reading(undefined, undefined);
    const [made] = groupsOf(bound(ELB, 'web'));
    const rendered = { ...made!, name: 'nodes', annotations: { [SOURCE_ANNOTATION]: 'cdk1/rendered/nodes' } };
    expect(inViewOf(one, [rendered])).toBe(one);
  });

  it('that has lost both keeps its groups, and says so', () => {
    expect(inViewOf(reading(undefined, undefined), groupsOf(bound(EKS, 'web')))).toEqual({
      cluster,
      found: {
        ok: false,
        reason: 'KindNotInstalled',
        message: expect.stringContaining(
          'Expected cluster cluster-1 to have the kind TargetGroupBinding',
        ) as string,
      },
    });
  });
});
