import { describe, expect, it } from 'vitest';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { AWSTargetGroupBinding } from '../../crds/aws-target-group-binding.ts';
import type { AWSTargetGroupSet } from '../../crds/aws-target-group-set.ts';
import type { ClusterSet } from '../../crds/cluster-set.ts';
import type { StoredClusterSecret } from '../../clients/kubernetes/remote-clusters.ts';
import { API_VERSION } from '../../domain/kubernetes/labels.ts';
import { aGroup, signal, viewOf } from '../testing/builders.ts';
import type { Instruction } from '../instruction.ts';
import { route } from './route.ts';

const key = (name: string) => ({ namespace: 'default', name });
const startSet: Instruction = { do: 'Start', kind: 'AWSTargetGroupSet', key: key('cart') };
const startBinding: Instruction = { do: 'Start', kind: 'AWSTargetGroupBinding', key: key('web') };
const check: Instruction = { do: 'CheckTargetGroups', namespace: 'default' };

const ownedBy = (kind: string) => [
  { apiVersion: API_VERSION, kind, name: 'cart', uid: 'u', controller: true },
];

describe('an event about a ClusterSet', () => {
  const set = (generation: number): ClusterSet => ({
    apiVersion: API_VERSION,
    kind: 'ClusterSet',
    metadata: { ...key('cart'), generation },
    spec: { generators: [{ awseks: { selector: { matchTags: { Service: 'demo' } } } }] },
  });
  const start = { do: 'Start', kind: 'ClusterSet', key: key('cart') };
  it.each([
    ['wakes its workflow when it is added', { type: 'add', object: set(1) }, [start]],
    ['wakes its workflow when its spec changes', { type: 'update', object: set(2), old: set(1) }, [start]],
    ['is nothing when its status changes', { type: 'update', object: set(1), old: set(1) }, []],
    [
      'tells its workflow when it is deleted',
      { type: 'delete', object: set(1) },
      [signal('cluster-set/default/cart', 'changed')],
    ],
  ] as const)('%s', (_, event, want) => {
    expect(route({ kind: 'ClusterSet', event }, viewOf({}))).toEqual(want);
  });
});

const aSet = (role: string): AWSTargetGroupSet => ({
  apiVersion: API_VERSION,
  kind: 'AWSTargetGroupSet',
  metadata: key('cart'),
  spec: { generators: [{ awseks: { clusterSelector: { matchLabels: { role } } } }] },
});

const aBinding = (
  clusterName: string,
  changed: Partial<AWSTargetGroupBinding> = {},
): AWSTargetGroupBinding => ({
  apiVersion: API_VERSION,
  kind: 'AWSTargetGroupBinding',
  metadata: { ...key('web'), generation: 1 },
  spec: {
    targetGroupARN: 'arn:web',
    targets: [{ name: 'nodes', clusterName, nodeSelector: { role: 'web' }, port: 80 }],
  },
  ...changed,
});

describe('an event about an AWSTargetGroupBinding', () => {
  const owned = aBinding('cdk1', {
    metadata: { ...key('web'), generation: 1, ownerReferences: ownedBy('AWSTargetGroupSet') },
  });
  const withGroup = { ...owned, status: { targetGroupARN: 'arn:new' } };
  it.each([
    ['wakes its workflow when it is added', { type: 'add', object: owned }, [startBinding]],
    ['tells its set of its target group', { type: 'update', object: withGroup, old: owned }, [startSet]],
    [
      'tells its set when it is deleted',
      { type: 'delete', object: owned },
      [signal('target-group-binding/default/web', 'changed'), startSet],
    ],
  ] as const)('%s', (_, event, want) => {
    const view = viewOf({ targetGroupSets: [aSet('web')] });
    expect(route({ kind: 'AWSTargetGroupBinding', event }, view)).toEqual(want);
  });
});

describe('an AWSTargetGroupBinding that lets targets go', () => {
  const having = (name: string, arn: string, ...ids: string[]): AWSTargetGroupBinding => ({
    ...aBinding('cdk1'),
    metadata: { ...key(name), generation: 1 },
    status: { targetGroupARN: arn, targets: [{ name: 'nodes', port: 80, ids }] },
  });
  const [had, has] = [having('web', 'arn:web', 'i-a', 'i-b'), having('web', 'arn:web', 'i-a')];
  const heir: Instruction = { do: 'Start', kind: 'AWSTargetGroupBinding', key: key('heir') };
  const view = viewOf({ bindings: [has, having('heir', 'arn:web'), having('stranger', 'arn:other')] });
  it.each([
    ['tells the others of its target group', { type: 'update', object: has, old: had }, [heir]],
    [
      'tells them when it is gone',
      { type: 'delete', object: had },
      [signal('target-group-binding/default/web', 'changed'), heir],
    ],
    ['tells nobody of targets that come', { type: 'update', object: had, old: has }, []],
  ] as const)('%s', (_, event, want) => {
    expect(route({ kind: 'AWSTargetGroupBinding', event }, view)).toEqual(want);
  });
});

describe('an event about an AWSTargetGroup that no Cell selects', () => {
  const group = aGroup('web1');
  const owned: AWSTargetGroup = {
    ...group,
    metadata: { ...group.metadata, ownerReferences: ownedBy('AWSTargetGroupSet') },
  };
  const edited: AWSTargetGroup = { ...owned, metadata: { ...owned.metadata, labels: {} } };
  const reported: AWSTargetGroup = { ...owned, status: { observedGeneration: 1 } };
  it.each([
    ['has it checked when it is added', { type: 'add', object: owned }, [check]],
    ['tells its set of an edit', { type: 'update', object: edited, old: owned }, [check, startSet]],
    ['tells its set when it is deleted', { type: 'delete', object: owned }, [startSet]],
    ['is nothing when its status changes', { type: 'update', object: reported, old: owned }, []],
  ] as const)('%s', (_, event, want) => {
    expect(route({ kind: 'AWSTargetGroup', event }, viewOf({ targetGroupSets: [aSet('web')] }))).toEqual(
      want,
    );
  });

  it('tells the sets in whose way it was when it is deleted', () => {
    const other = { ...aSet('web'), metadata: key('renamed') };
    const event = { type: 'delete', object: owned } as const;
    expect(route({ kind: 'AWSTargetGroup', event }, viewOf({ targetGroupSets: [other] }))).toEqual([
      { do: 'Start', kind: 'AWSTargetGroupSet', key: key('renamed') },
    ]);
  });

  it('tells no set that is gone, and takes its groups with it', () => {
    const event = { type: 'delete', object: owned } as const;
    expect(route({ kind: 'AWSTargetGroup', event }, viewOf({}))).toEqual([]);
  });
});

describe('an event about the secret of a cluster', () => {
  const secret = (role: string, resourceVersion = '1', kind = 'ClusterSet'): StoredClusterSecret => ({
    metadata: {
      ...key('cdk1'),
      uid: 'u',
      resourceVersion,
      labels: { role },
      ownerReferences: [{ kind, name: 'demo', controller: true }],
    },
    data: { name: Buffer.from('cdk1').toString('base64') },
  });
  const view = viewOf({ targetGroupSets: [aSet('web')], bindings: [aBinding('cdk1')] });
  it('tells the ClusterSets in whose way it was when it is deleted', () => {
    const renamed: ClusterSet = {
      apiVersion: API_VERSION,
      kind: 'ClusterSet',
      metadata: key('renamed'),
      spec: { generators: [{ awseks: { selector: { matchTags: { Service: 'demo' } } } }] },
    };
    const event = { type: 'delete', object: secret('web') } as const;
    expect(route({ kind: 'Secret', event }, viewOf({ clusterSets: [renamed] }))).toEqual([
      { do: 'Start', kind: 'ClusterSet', key: key('demo') },
      { do: 'Start', kind: 'ClusterSet', key: key('renamed') },
    ]);
  });

  it.each([
    ['tells who looks into the cluster', { type: 'add', object: secret('web') }, [startSet, startBinding]],
    [
      'tells who looked into it before',
      { type: 'update', object: secret('api'), old: secret('web') },
      [startSet, startBinding],
    ],
    ['tells nobody whom it does not concern', { type: 'add', object: secret('api') }, [startBinding]],
    [
      'is nothing when nothing in it changed',
      { type: 'update', object: secret('web', '2'), old: secret('web') },
      [],
    ],
    [
      'tells who has made it when it is deleted',
      { type: 'delete', object: secret('web') },
      [startSet, startBinding, { do: 'Start', kind: 'ClusterSet', key: key('demo') }],
    ],
  ] as const)('%s', (_, event, want) => {
    expect(route({ kind: 'Secret', event }, view)).toEqual(want);
  });
});
