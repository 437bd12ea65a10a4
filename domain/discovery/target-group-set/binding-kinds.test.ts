import { describe, expect, it } from 'vitest';
import { SOURCE_ANNOTATION } from '../../kubernetes/labels.ts';
import { arnOf } from '../../testing/builders.ts';
import {
  joinBindings,
  type ClusterReading,
  type ExistingGroup,
  type BindingAPI,
  type RemoteBinding,
} from './observed-target-group-set.ts';
import { decideTargetGroupSet } from './target-group-set.ts';

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

/** What a set does after one reading of its cluster, with the groups that there are. */
const decision = (reading: ClusterReading, groups: readonly ExistingGroup[]) =>
  decideTargetGroupSet({
    uid: 'mine',
    name: 'web',
    spec,
    readings: [reading],
    groups,
    bindings: [],
    grace,
  });

/** The same in short: the names of the groups, and why. */
function decideWith(reading: ClusterReading, before: readonly ExistingGroup[]) {
  const { groups, problems } = decision(reading, before);
  const names = (some: readonly { readonly name: string }[]) => some.map(({ name }) => name);
  return {
    create: names(groups.create),
    update: names(groups.update),
    delete: names(groups.delete),
    problems: problems.map(({ reason }) => reason),
  };
}

/** What a set does with what its one cluster has, and with the groups that there are. */
function decide(bindings: readonly RemoteBinding[], before: readonly ExistingGroup[] = []) {
  const { groups, problems } = decision({ cluster, found: joinBindings([bindings, []]) }, before);
  return { ...groups, problems: problems.map(({ reason }) => reason) };
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
    expect(decide(twins, groupsOf(...twins))).toMatchObject(asWanted);
  });

  it('are one binding when they say the same', () => {
    const twins = [bound(ELB, 'web'), bound(EKS, 'web')];
    expect(decide(twins, groupsOf(bound(ELB, 'web')))).toMatchObject(asWanted);
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
  type Lists = readonly (readonly RemoteBinding[] | undefined)[];
  const after = (lists: Lists, groups: readonly ExistingGroup[]) =>
    decideWith({ cluster, found: joinBindings(lists) }, groups);
  const elb = bound(ELB, 'web');
  const eks = bound(EKS, 'web');

  it.each<[string, Lists, readonly RemoteBinding[]]>([
    ['with the kind of the AWS Load Balancer Controller', [[], undefined], [elb]],
    ['with that of EKS Auto Mode', [undefined, []], [eks]],
    ['with both', [[], []], [elb]],
    ['with one in all of its namespaces', [[], undefined, [], undefined], [elb]],
  ])('%s loses the groups whose bindings are gone', (_, lists, before) => {
    expect(after(lists, groupsOf(...before))).toEqual({ ...asWanted, delete: ['default-web'] });
  });

  it.each<[string, Lists, readonly RemoteBinding[]]>([
    ['the kind of the AWS Load Balancer Controller', [undefined, []], [elb]],
    ['that of EKS Auto Mode', [[], undefined], [eks]],
    ['both', [undefined, undefined], [eks]],
    ['one, while it is asked about one of its namespaces,', [undefined, [], [], []], [elb]],
  ])('that has lost %s keeps the groups of it, and says so', (_, lists, before) => {
    expect(after(lists, groupsOf(...before))).toEqual({ ...asWanted, problems: ['KindNotInstalled'] });
  });

  it('that has neither kind is reported, unless the set takes no TargetGroupBindings', () => {
    const reading = { cluster, found: joinBindings([undefined, undefined]) };
    expect(decision(reading, []).problems).toEqual([
      {
        cluster: 'cluster-1',
        reason: 'KindNotInstalled',
        message:
          'Cluster cluster-1 has the CRD TargetGroupBinding neither of the AWS Load Balancer Controller (elbv2.k8s.aws/v1beta1) nor of EKS Auto Mode (eks.amazonaws.com/v1), so it has no target groups. Install one of them there, or select other clusters.',
      },
    ]);
    const targetGroup = { protocol: 'HTTP', targetType: 'ip' } as const;
    const bindingTemplate = { spec: { targetGroup, targets: [] } };
    const observed = { uid: 'mine', name: 'web', readings: [reading], groups: [], bindings: [], grace };
    const reasons = (more: object) =>
      decideTargetGroupSet({ ...observed, spec: { ...spec, ...more } }).problems.map(({ reason }) => reason);
    expect(reasons({ bindingTemplate })).toEqual([]);
    const [{ awseks }] = spec.generators as [(typeof spec.generators)[number]];
    const generators = [{ awseks: { ...awseks, bindingSelector: {} } }];
    expect(reasons({ bindingTemplate, generators })).toEqual(['KindNotInstalled']);
  });

  it('that has lost one kind continues with the other', () => {
    const groups = groupsOf(elb, bound(EKS, 'gone'));
    expect(after([undefined, [bound(EKS, 'new')]], groups)).toEqual({
      create: ['default-new'],
      update: [],
      delete: ['default-gone'],
      problems: ['KindNotInstalled'],
    });
  });

  it('that has lost a kind says which, and how to end what it had', () => {
    const { problems } = decision({ cluster, found: joinBindings([undefined, []]) }, groupsOf(elb));
    expect(problems).toEqual([
      {
        cluster: 'cluster-1',
        reason: 'KindNotInstalled',
        message:
          'Cluster cluster-1 no longer has the CRD TargetGroupBinding of the AWS Load Balancer Controller (elbv2.k8s.aws/v1beta1). Install it again; the AWSTargetGroups created from it are kept until you delete them.',
      },
    ]);
  });

  it('that has lost a kind has its groups taken over by the bindings of the other that say the same', () => {
    expect(after([undefined, [eks]], groupsOf(elb))).toEqual({ ...asWanted, update: ['default-web'] });
    expect(after([[elb], undefined], groupsOf(eks))).toEqual({ ...asWanted, update: ['default-web'] });
  });

  it.each<[string, RemoteBinding, object]>([
    ['has another ARN', bound(EKS, 'web', { arn: arnOf('other') }), { create: ['cdk1-default-web-eks'] }],
    ['is being deleted', bound(EKS, 'web', { isDeleting: true }), {}],
  ])('that has lost a kind keeps the group when a binding of the other %s', (_, twin, want) => {
    expect(after([undefined, [twin]], groupsOf(elb))).toEqual({
      ...asWanted,
      problems: ['KindNotInstalled'],
      ...want,
    });
  });

  it('keeps a group that has lost where it is from while it has lost a kind', () => {
    const [made] = groupsOf(bound(ELB, 'api'));
    const nameless = { ...made!, annotations: {} };
    expect(after([undefined, []], [...groupsOf(elb), nameless]).delete).toEqual([]);
    expect(after([undefined, []], [nameless]).delete).toEqual(['default-api']);
  });
});
