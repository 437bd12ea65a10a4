import { describe, expect, it } from 'vitest';
import { isLabelValue } from '../../kubernetes/selector.ts';
import { SOURCE_ANNOTATION } from '../../kubernetes/labels.ts';
import type { AWSTargetGroupSetSpec } from '../../../crds/aws-target-group-set.ts';
import { decideTargetGroupSet } from './target-group-set.ts';
import type {
  ClusterReading,
  ExistingBinding,
  ExistingGroup,
  ObservedTargetGroupSet,
  RemoteBinding,
} from './observed-target-group-set.ts';
import type { KnownCluster } from '../clusters/known-cluster.ts';
import { setLooksInto } from './looks-into.ts';
import { arnOf } from '../../testing/builders.ts';

const spec: AWSTargetGroupSetSpec = {
  generators: [
    {
      awseks: {
        clusterSelector: { matchLabels: { service: 'demo' } },
        bindingSelector: { matchLabels: { role: 'web' } },
      },
    },
  ],
};
const VERSION = 'okra.mumo.co/version';
const mine = { uid: 'mine', kind: 'AWSTargetGroupSet', name: 'web' };

const known = (secret: string, changed: Partial<KnownCluster> = {}): KnownCluster => ({
  secret,
  name: secret,
  labels: { service: 'demo' },
  tags: { role: 'web' },
  ...changed,
});
const bound = (name: string, changed: Partial<RemoteBinding> = {}): RemoteBinding => ({
  api: 'elbv2.k8s.aws',
  namespace: 'default',
  name,
  labels: { role: 'web', [VERSION]: '1.0.0' },
  arn: arnOf(name),
  isDeleting: false,
  ...changed,
});
const read = (secret: string | KnownCluster, ...bindings: RemoteBinding[]): ClusterReading => ({
  cluster: typeof secret === 'string' ? known(secret) : secret,
  found: { ok: true, bindings },
});
const readIn = (namespaces: readonly string[], secret: string): ClusterReading => ({
  cluster: known(secret),
  found: { ok: true, bindings: [], namespaces },
});
const unread = (secret: string): ClusterReading => ({
  cluster: known(secret),
  found: { ok: false, reason: 'ClusterUnreachable', message: `Expected ${secret} to answer within 10 s.` },
});

const now = Date.parse('2026-11-22T12:00:00.000Z');
const decide = (changed: Partial<ObservedTargetGroupSet> = {}) =>
  decideTargetGroupSet({
    uid: 'mine',
    name: 'web',
    spec,
    readings: [],
    groups: [],
    bindings: [],
    grace: { before: [], now, seconds: 0 },
    ...changed,
  });

/** The AWSTargetGroups as a sync of these clusters leaves them. */
const groupsOf = (...readings: ClusterReading[]): ExistingGroup[] =>
  decide({ readings }).groups.create.map((group) => ({ ...group, uid: `uid-${group.name}`, owner: mine }));

const short = ({ groups, problems }: ReturnType<typeof decide>) => ({
  create: groups.create.map(({ name }) => name),
  update: groups.update.map(({ name }) => name),
  delete: groups.delete.map(({ name }) => name),
  problems: problems.map(({ reason }) => reason),
});
const nothing = { create: [], update: [], delete: [], problems: [] };

const one = read('cdk1', bound('web1'));
const handwritten: ExistingGroup = { ...groupsOf(one)[0]!, owner: undefined };
const sameName = bound('web1', { arn: arnOf('other') });

const table: [string, Partial<ObservedTargetGroupSet>, Partial<ReturnType<typeof short>>][] = [
  ['makes a group of a binding', { readings: [one] }, { create: ['default-web1'] }],
  [
    'leaves bindings with other labels out',
    { readings: [read('cdk1', bound('api', { labels: { role: 'api' } }))] },
    {},
  ],
  ['does nothing when all is as it is to be', { readings: [one], groups: groupsOf(one) }, {}],
  [
    'keeps the groups of two clusters over many syncs',
    { readings: [one, read('cdk2', bound('web2'))], groups: groupsOf(one, read('cdk2', bound('web2'))) },
    {},
  ],
  [
    'deletes the group of a binding that is gone',
    { readings: [read('cdk1')], groups: groupsOf(one) },
    { delete: ['default-web1'] },
  ],
  [
    'deletes the group of a binding that is being deleted',
    { readings: [read('cdk1', bound('web1', { isDeleting: true }))], groups: groupsOf(one) },
    { delete: ['default-web1'] },
  ],
  [
    'keeps the groups of a cluster whose secret is gone for a while, and says so',
    { groups: groupsOf(one), grace: { before: [], now, seconds: 180 } },
    { problems: ['ClusterMissing'] },
  ],
  [
    'keeps one group of a secret that is replaced under another name',
    {
      readings: [read('cdk3', bound('web1'))],
      groups: groupsOf(one),
      grace: { before: [], now, seconds: 180 },
    },
    { update: ['default-web1'], problems: ['ClusterMissing'] },
  ],
  [
    'deletes the groups of a cluster whose binding is gone, however long others are missed',
    { readings: [read('cdk1')], groups: groupsOf(one), grace: { before: [], now, seconds: 180 } },
    { delete: ['default-web1'] },
  ],
  [
    'deletes the groups of a cluster that has no secret any more',
    { groups: groupsOf(one) },
    { delete: ['default-web1'] },
  ],
  ['leaves a group that someone wrote', { readings: [read('cdk1')], groups: [handwritten] }, {}],
  [
    'reports a name that someone else has',
    { readings: [one], groups: [handwritten] },
    { problems: ['NameTaken'] },
  ],
  [
    'keeps the groups of a cluster that cannot be reached, and syncs the others',
    { readings: [unread('cdk1'), read('cdk2', bound('web2'))], groups: groupsOf(one) },
    { create: ['default-web2'], problems: ['ClusterUnreachable'] },
  ],
  [
    'puts the clusters in front of a name that two ask for',
    { readings: [one, read('cdk2', sameName)] },
    { create: ['cdk1-default-web1', 'cdk2-default-web1'] },
  ],
  [
    'leaves its name to a group that has it, and puts the cluster in front of the other',
    { readings: [one, read('cdk2', sameName)], groups: groupsOf(one) },
    { create: ['cdk2-default-web1'] },
  ],
  [
    'leaves its name to a group whose cluster cannot be reached',
    { readings: [unread('cdk1'), read('cdk2', sameName)], groups: groupsOf(one) },
    { create: ['cdk2-default-web1'], problems: ['ClusterUnreachable'] },
  ],
  [
    'leaves its name to a group when nobody else asks for the plain one any more',
    { readings: [read('cdk2', sameName)], groups: groupsOf(one, read('cdk2', sameName)) },
    { delete: ['cdk1-default-web1'] },
  ],
  [
    'reports a target group that two bindings name, because a rule can name it once',
    { readings: [one, read('cdk2', bound('web2', { arn: arnOf('web1') }))] },
    { create: ['default-web1'], problems: ['SharedTargetGroup'] },
  ],
  [
    'changes a group when the version of its binding does',
    {
      readings: [read('cdk1', bound('web1', { labels: { role: 'web', [VERSION]: '1.0.1' } }))],
      groups: groupsOf(one),
    },
    { update: ['default-web1'] },
  ],
  [
    'changes a group when its ARN does',
    { readings: [read('cdk1', bound('web1', { arn: arnOf('new') }))], groups: groupsOf(one) },
    { update: ['default-web1'] },
  ],
  [
    'keeps the group, and its name, of a binding that is called something else by now',
    { readings: [read('cdk1', bound('renamed', { arn: arnOf('web1') }))], groups: groupsOf(one) },
    { update: ['default-web1'] },
  ],
  [
    'keeps the group, and its name, of a cluster whose secret is called something else by now',
    { readings: [read('cdk1-new', bound('web1'))], groups: groupsOf(one) },
    { update: ['default-web1'] },
  ],
  [
    'leaves a target group that two clusters name to the one that has it, when that cannot be read',
    {
      readings: [unread('cdk1'), read('cdk2', bound('web2', { arn: arnOf('web1') }))],
      groups: groupsOf(one),
    },
    { problems: ['ClusterUnreachable', 'SharedTargetGroup'] },
  ],
  [
    'leaves it to the one that has it, when that cannot be used as it is now',
    {
      readings: [
        read('cdk1', bound('web1', { arn: undefined })),
        read('cdk2', bound('web2', { arn: arnOf('web1') })),
      ],
      groups: groupsOf(one),
    },
    { problems: ['MissingTargetGroupARN', 'SharedTargetGroup'] },
  ],
  [
    'keeps the groups of a namespace that the secret of the cluster allows no more, and says so',
    { readings: [readIn(['shop'], 'cdk1')], groups: groupsOf(one) },
    { problems: ['NamespaceNotAllowed'] },
  ],
  [
    'deletes a group in a namespace that is allowed',
    { readings: [readIn(['shop', 'default'], 'cdk1')], groups: groupsOf(one) },
    { delete: ['default-web1'] },
  ],
  [
    'gives the target group of a namespace that is not allowed to no other',
    {
      readings: [readIn(['shop'], 'cdk1'), read('cdk2', bound('web2', { arn: arnOf('web1') }))],
      groups: groupsOf(one),
    },
    { problems: ['NamespaceNotAllowed', 'SharedTargetGroup'] },
  ],
  [
    'reports a binding without an ARN, and keeps what it had',
    { readings: [read('cdk1', bound('web1', { arn: undefined }))], groups: groupsOf(one) },
    { problems: ['MissingTargetGroupARN'] },
  ],
  [
    'reports an ARN of something else',
    { readings: [read('cdk1', bound('web1', { arn: 'arn:aws:s3:::bucket' }))] },
    { problems: ['InvalidTargetGroupARN'] },
  ],
];

describe('an AWSTargetGroupSet', () => {
  it.each(table)('%s', (_, observed, want) => {
    expect(short(decide(observed))).toEqual({ ...nothing, ...want });
  });

  it.each([
    'arn:aws:eks:us-west-2:111122223333:cluster/blue',
    'kubernetes-admin@kubernetes',
    'https://10.0.0.1:6443',
    'b'.repeat(64),
  ])('makes a group and a binding that the API server takes of a cluster that is called %s', (name) => {
    const reading = { ...one, cluster: { ...one.cluster, secret: 'blue-1855392861', name } };
    const targetGroup = { protocol: 'HTTP', targetType: 'ip' } as const;
    const bindingTemplate = { spec: { targetGroup, targets: [] } };
    const { groups, bindings, problems } = decide({
      spec: { ...spec, bindingTemplate },
      readings: [reading],
    });
    expect(problems).toEqual([]);
    expect(bindings.create).toMatchObject([{ name: 'web-blue-1855392861' }]);
    expect(groups.create).toHaveLength(1);
    expect(groups.create[0]?.labels).not.toHaveProperty('okra.mumo.co/target-group-binding-cluster');
    expect(groups.create[0]?.annotations).toMatchObject({
      'okra.mumo.co/target-group-binding': 'blue-1855392861/default/web1',
    });
    for (const value of Object.values(groups.create[0]?.labels ?? {})) expect(value).toSatisfy(isLabelValue);
  });

  it('copies labels, puts those of the template on top, and says where a group is from', () => {
    const template = {
      metadata: { labels: { role: '{{.awseks.cluster.tags.role}}-{{.awseks.cluster.name}}' } },
    };
    expect(decide({ spec: { ...spec, template }, readings: [one] }).groups.create).toEqual([
      {
        name: 'default-web1',
        arn: arnOf('web1'),
        labels: {
          role: 'web-cdk1',
          [VERSION]: '1.0.0',
          'okra.mumo.co/target-group-binding-cluster': 'cdk1',
          'okra.mumo.co/target-group-binding-namespace': 'default',
          'okra.mumo.co/target-group-binding-name': 'web1',
        },
        annotations: {
          'okra.mumo.co/target-group-binding': 'cdk1/default/web1',
          'okra.mumo.co/generated': expect.stringContaining('role'),
        },
      },
    ]);
  });

  it.each([
    ['all of them, when none are listed', undefined, { role: 'web', [VERSION]: '1.0.0' }],
    ['those that are listed', ['role'], { role: 'web' }],
    ['none, when the list is empty', [], {}],
  ])('takes of the labels of a binding %s', (_, bindingLabels, want) => {
    const { labels = {} } =
      decide({ spec: { ...spec, bindingLabels }, readings: [one] }).groups.create[0] ?? {};
    const taken = Object.entries(labels).filter(([key]) => !key.includes('target-group-binding'));
    expect(Object.fromEntries(taken)).toEqual(want);
  });

  it.each([
    ['the label of the binding', { [VERSION]: '1.0.0' }, { version: 'v2' }, '1.0.0'],
    ['the EKS tag when the binding has none', {}, { version: 'v2' }, 'v2'],
    ['the EKS tag when the label is empty', { [VERSION]: '' }, { version: 'v2' }, 'v2'],
    ['the EKS tag without spaces around it', {}, { version: ' v2 ' }, 'v2'],
    ['none when the EKS tag is empty', {}, { version: ' ' }, undefined],
    ['none when nobody says one', {}, {}, undefined],
    ['none when the tags are not known', {}, undefined, undefined],
  ])('takes for the version %s', (_, labels, tags, version) => {
    const reading = read(known('cdk1', { tags }), bound('web1', { labels: { role: 'web', ...labels } }));
    expect(decide({ readings: [reading] }).groups.create[0]?.labels[VERSION]).toBe(version);
  });

  it.each(['1.0.0+a b', 'v2+build.7'])('reports a version that no label can have: %s', (version) => {
    const reading = read(known('cdk1', { tags: { version } }), bound('web1', { labels: { role: 'web' } }));
    expect(short(decide({ readings: [reading] }))).toEqual({ ...nothing, problems: ['InvalidTemplate'] });
  });

  it('keeps a group that has lost where it is from while a cluster cannot be read', () => {
    const groups = groupsOf(one).map((group) => ({ ...group, annotations: {} }));
    expect(short(decide({ readings: [unread('cdk1')], groups })).delete).toEqual([]);
    expect(short(decide({ readings: [read('cdk1')], groups })).delete).toEqual(['default-web1']);
  });

  it('looks into the clusters whose secrets any generator selects, and into none without a term', () => {
    const clusters = [known('cdk1'), known('cdk2', { labels: { service: 'other' } })];
    expect(clusters.filter((cluster) => setLooksInto(spec, cluster)).map(({ name }) => name)).toEqual([
      'cdk1',
    ]);
    const termless = { generators: [{ awseks: { clusterSelector: {} } }] };
    expect(clusters.some((cluster) => setLooksInto(termless, cluster))).toBe(false);
  });

  it('takes the bindings of the generator that selects the cluster', () => {
    const generators = [
      ...spec.generators,
      { awseks: { clusterSelector: { matchLabels: { service: 'other' } }, bindingSelector: {} } },
    ];
    const api = bound('api', { labels: { role: 'api' } });
    const readings = [read('cdk1', api), read(known('cdk2', { labels: { service: 'other' } }), api)];
    expect(decide({ spec: { generators }, readings }).groups.create).toMatchObject([
      { annotations: { 'okra.mumo.co/target-group-binding': 'cdk2/default/api' } },
    ]);
  });
});

describe('a group that two AWSTargetGroupSets want', () => {
  const other = { uid: 'other', kind: 'AWSTargetGroupSet', name: 'former' };
  const theirs = groupsOf(one).map((group) => ({ ...group, owner: other }));
  const claimed = groupsOf(one).map((group) => ({ ...group, heirs: ['other'] }));
  const grace = { before: [], now, seconds: 180 };
  const nobody = { claim: [], release: [] };

  it('is claimed by the second', () => {
    const decision = decide({ readings: [one], groups: theirs });
    expect(decision).toMatchObject({ groups: { claim: ['default-web1'], release: [] }, bindings: nobody });
    expect(decide({ readings: [read('cdk1')], groups: theirs }).groups).toMatchObject(nobody);
  });

  it('is left to it by the first, without a grace, when that does not look into the cluster any more', () => {
    const decision = decide({ groups: claimed, grace });
    expect(decision.groups).toMatchObject({ claim: [], release: ['default-web1'] });
    expect(short(decision)).toEqual(nothing);
    expect(decision.missed.missing).toEqual([]);
  });

  it('stays for the whole grace once it is left to a set that does not look into its cluster', () => {
    const awaited = decide({ groups: theirs.map((group) => ({ ...group, heirs: ['mine'] })), grace });
    expect(awaited.missed.missing).toEqual([]);
    const later = { ...grace, before: awaited.missed.missing, now: now + 170_000 };
    const groups = groupsOf(one).map((group) => ({ ...group, isInherited: true }));
    const decision = decide({ groups, grace: later });
    expect([decision.groups.delete, decision.missed.againInSeconds]).toEqual([[], 180]);
  });

  it('stays with the first for as long as that wants it, or cannot read', () => {
    for (const reading of [one, unread('cdk1')]) {
      const decision = decide({ readings: [reading], groups: claimed });
      expect(decision.groups).toMatchObject(nobody);
      expect(decision.groups.delete).toEqual([]);
    }
  });

  it('is changed by the second when it has inherited it', () => {
    const groups = groupsOf(one).map((group) => ({ ...group, isInherited: true }));
    expect(short(decide({ readings: [one], groups }))).toEqual({ ...nothing, update: ['default-web1'] });
  });
});

describe('the bindings of an AWSTargetGroupSet', () => {
  const targets = [
    { name: 'nodes', clusterName: '{{.awseks.cluster.name}}', nodeSelector: { type: 'node' }, port: 8080 },
  ];
  const bindingTemplate = {
    metadata: { name: 'web-{{.awseks.cluster.name}}', labels: { role: '{{.awseks.cluster.tags.role}}' } },
    spec: { targetGroup: { protocol: 'HTTP', targetType: 'instance', vpcID: 'vpc-00000000' }, targets },
  } as const;
  const rendering: AWSTargetGroupSetSpec = {
    generators: [{ awseks: { clusterSelector: { matchLabels: { service: 'demo' } } } }],
    template: { metadata: { labels: { role: '{{.awseks.cluster.tags.role}}' } } },
    bindingTemplate: { ...bindingTemplate, spec: { ...bindingTemplate.spec, targets } },
  };
  const first = decide({ spec: rendering, readings: [read('cluster1', bound('web1'))] });
  const existing: ExistingBinding = { ...first.bindings.create[0]!, uid: 'b', owner: mine };

  it('A-B06 are rendered for each cluster, and the TargetGroupBindings there are not taken', () => {
    expect(first.groups.create).toEqual([]);
    expect(first.bindings.create).toMatchObject([{ name: 'web-cluster1', labels: { role: 'web' } }]);
    expect(JSON.parse(first.bindings.create[0]?.spec ?? '')).toMatchObject({
      targets: [{ clusterName: 'cluster1', nodeSelector: { type: 'node' }, port: 8080 }],
    });
  });

  it('A-B06 have an AWSTargetGroup of their name once the target group is known', () => {
    const after = decide({
      spec: rendering,
      readings: [read('cluster1')],
      bindings: [{ ...existing, arn: arnOf('made') }],
    });
    expect(after.bindings).toMatchObject({ create: [], update: [], delete: [] });
    expect(after.groups.create).toMatchObject([
      { name: 'web-cluster1', arn: arnOf('made'), labels: { role: 'web' } },
    ]);
  });

  it('stay with a cluster that cannot be reached, and go with its secret', () => {
    const bindings = [existing];
    expect(decide({ spec: rendering, readings: [unread('cluster1')], bindings }).bindings.delete).toEqual([]);
    expect(decide({ spec: rendering, bindings }).bindings.delete).toEqual([
      { name: 'web-cluster1', uid: 'b' },
    ]);
    const waiting = { before: [], now, seconds: 180 };
    expect(decide({ spec: rendering, bindings, grace: waiting })).toMatchObject({
      bindings: { delete: [] },
      missed: { missing: [{ name: 'cluster1' }], againInSeconds: 180 },
    });
    const leaving = [{ ...existing, isDeleting: true }];
    expect(decide({ spec: rendering, bindings: leaving }).bindings.delete).toEqual([]);
  });

  it('go with their secret though a tag of another cluster is missing', () => {
    const untagged = read(known('cluster2', { tags: {} }));
    const mayBeOfIt = { ...existing, annotations: { ...existing.annotations, [SOURCE_ANNOTATION]: '' } };
    const decided = (bindings: readonly ExistingBinding[]) =>
      decide({ spec: rendering, readings: [untagged], bindings }).bindings.delete;
    expect(decided([existing])).toEqual([{ name: 'web-cluster1', uid: 'b' }]);
    expect(decided([mayBeOfIt])).toEqual([]);
  });

  it('stay with their groups when a tag is missing, and say so', () => {
    const bindings = [{ ...existing, arn: arnOf('made') }];
    const groups = decide({ spec: rendering, readings: [read('cluster1')], bindings }).groups.create.map(
      (group) => ({
        ...group,
        uid: 'g',
        owner: mine,
      }),
    );
    const after = decide({
      spec: rendering,
      readings: [read(known('cluster1', { tags: {} }))],
      bindings,
      groups,
    });
    expect(after.bindings).toMatchObject({ create: [], update: [], delete: [] });
    expect(after.groups).toMatchObject({ create: [], update: [], delete: [] });
    expect(after.problems.map(({ reason }) => reason)).toEqual(['InvalidTemplate']);
    const statusLost = decide({
      spec: rendering,
      readings: [read('cluster1')],
      bindings: [existing],
      groups,
    });
    expect(statusLost.groups.delete).toEqual([]);
  });

  it('are handed over with their groups to another set that gives them the same name', () => {
    const owner = { uid: 'other', kind: 'AWSTargetGroupSet', name: 'former' };
    const bindings = [{ ...existing, arn: arnOf('made') }];
    const groups = decide({ spec: rendering, readings: [read('cluster1')], bindings }).groups.create.map(
      (group) => ({ ...group, uid: 'g', owner }),
    );
    const theirs = bindings.map((binding) => ({ ...binding, owner }));
    const second = decide({ spec: rendering, readings: [read('cluster1')], bindings: theirs, groups });
    const claim = { claim: ['web-cluster1'], release: [] };
    expect(second).toMatchObject({ groups: claim, bindings: claim });
    const awaited = { bindings: theirs.map((binding) => ({ ...binding, heirs: ['mine'] })) };
    const kept = { claim: [], release: [] };
    expect(decide({ ...awaited, spec: rendering, readings: [read('cluster1')] }).bindings).toMatchObject(
      kept,
    );
    const former = decide({
      spec: rendering,
      bindings: bindings.map((binding) => ({ ...binding, heirs: ['other'] })),
    });
    expect(former.bindings).toMatchObject({ claim: [], release: ['web-cluster1'] });
    expect(former.bindings.delete).toEqual([]);
  });

  it('leave one of the same name that nobody owns', () => {
    const bindings = [{ ...existing, owner: undefined }];
    const after = decide({ spec: rendering, readings: [read('cluster1')], bindings });
    expect(after.bindings).toMatchObject({ create: [], update: [], delete: [] });
    expect(after.problems).toMatchObject([{ reason: 'NameTaken', object: 'web-cluster1' }]);
  });

  it('change when their template does', () => {
    const targetGroup = { ...bindingTemplate.spec.targetGroup, port: 80 };
    const changed = {
      ...rendering,
      bindingTemplate: { spec: { targetGroup, targets }, metadata: bindingTemplate.metadata },
    };
    const after = decide({ spec: changed, readings: [read('cluster1')], bindings: [existing] });
    expect(after.bindings.update).toMatchObject([{ name: 'web-cluster1' }]);
  });

  it('leave a name that two clusters would have to the one that has it, and say so', () => {
    const name = 'web';
    const constant = { ...rendering, bindingTemplate: { ...rendering.bindingTemplate!, metadata: { name } } };
    const readings = [read('cluster1'), read('cluster2')];
    const made = decide({ spec: constant, readings: [read('cluster2')] }).bindings.create;
    const bindings: ExistingBinding[] = made.map((binding) => ({
      ...binding,
      uid: 'b',
      owner: mine,
      arn: arnOf('made'),
    }));
    const atFirst = decide({ spec: constant, readings });
    expect(atFirst.bindings.create.map(({ spec: said }) => said.includes('cluster1'))).toEqual([true]);
    const after = decide({ spec: constant, readings, bindings });
    expect(after.bindings).toMatchObject({ create: [], update: [], delete: [] });
    expect(after.groups.create).toMatchObject([
      { annotations: { 'okra.mumo.co/target-group-binding': 'cluster2/rendered/web' } },
    ]);
    expect(after.problems).toMatchObject([{ reason: 'NameTaken', object: name, cluster: 'cluster1' }]);
  });

  describe('of one name for two clusters', () => {
    const named = { ...rendering.bindingTemplate!, metadata: { name: 'web' } };
    const constant = { ...rendering, bindingTemplate: named };
    const [made] = decide({ spec: constant, readings: [read('cluster2')] }).bindings.create;
    const bindings: ExistingBinding[] = [{ ...made!, uid: 'b', owner: mine, arn: arnOf('made') }];
    const after = (changed: Partial<ObservedTargetGroupSet>) => {
      const decision = decide({ spec: constant, bindings, ...changed });
      const clusters = decision.bindings.update.map(({ spec: said }) =>
        ['cluster1', 'cluster2'].filter((each) => said.includes(each)),
      );
      return { clusters, reasons: decision.problems.map(({ reason }) => reason) };
    };
    const readings = [read('cluster1')];

    it('stay with the one that is missed for a while', () => {
      const grace = { before: [], now, seconds: 180 };
      expect(after({ readings, grace })).toEqual({ clusters: [], reasons: ['ClusterMissing', 'NameTaken'] });
    });

    it('are left to the other when that is over', () => {
      const before = [{ name: 'cluster2', since: '2026-11-22T11:57:00.000Z' }];
      const left = { clusters: [['cluster1']], reasons: [] };
      expect(after({ readings, grace: { before, now, seconds: 180 } })).toEqual(left);
      expect(after({ readings })).toEqual(left);
    });

    it('stay with the one that has it when the template changes', () => {
      const moved = targets.map((target) => ({ ...target, port: 9090 }));
      const changed = { ...named, spec: { ...named.spec, targets: moved } };
      expect(
        after({
          spec: { ...constant, bindingTemplate: changed },
          readings: [...readings, read('cluster2')],
        }),
      ).toEqual({ clusters: [['cluster2']], reasons: ['NameTaken'] });
    });
  });

  it('report a name that no object can have', () => {
    const template = { ...rendering.bindingTemplate!, metadata: { name: 'web-"{{.awseks.cluster.name}}"' } };
    const after = decide({ spec: { ...rendering, bindingTemplate: template }, readings: [read('cluster1')] });
    expect(after.problems[0]?.message).toContain('bindingTemplate.metadata.name');
  });
});
