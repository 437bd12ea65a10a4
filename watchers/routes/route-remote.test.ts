import { describe, expect, it } from 'vitest';
import type { StoredClusterSecret } from '../../clients/kubernetes/remote-clusters.ts';
import type { AWSTargetGroupBinding, BindingTarget } from '../../crds/aws-target-group-binding.ts';
import type { AWSTargetGroupSet } from '../../crds/aws-target-group-set.ts';
import { API_VERSION } from '../../domain/kubernetes/labels.ts';
import { viewOf } from '../testing/builders.ts';
import type { Instruction } from '../instruction.ts';
import { trimRemote, type RemoteObject } from '../../domain/discovery/clusters/seen.ts';
import { decidesWatches, remoteWatches, routeRecovery, routeRemote } from './route-remote.ts';

const secret = (name: string, labels: Record<string, string> = {}): StoredClusterSecret => ({
  metadata: { namespace: 'shop', name, uid: name, resourceVersion: '1', labels },
  data: { name: Buffer.from(name).toString('base64') },
});
const set: AWSTargetGroupSet = {
  apiVersion: API_VERSION,
  kind: 'AWSTargetGroupSet',
  metadata: { namespace: 'shop', name: 'cart' },
  spec: { generators: [{ awseks: { clusterSelector: { matchLabels: { role: 'web' } } } }] },
};
const binding = (...targets: BindingTarget[]): AWSTargetGroupBinding => ({
  apiVersion: API_VERSION,
  kind: 'AWSTargetGroupBinding',
  metadata: { namespace: 'shop', name: 'web' },
  spec: { targetGroupARN: 'arn:web', targets },
});
const byNode: BindingTarget = { name: 'a', clusterName: 'cdk1', nodeName: 'node1', port: 80 };
const byLabel: BindingTarget = { name: 'b', clusterName: 'cdk1', nodeSelector: { type: 'node' }, port: 80 };
const byPod: BindingTarget = {
  name: 'c',
  clusterSelector: { matchLabels: { role: 'web' } },
  podSelector: { matchLabels: { app: 'web' } },
  port: 80,
};
const byId: BindingTarget = { name: 'd', ids: ['10.0.0.9'], port: 80 };

describe('what is watched in clusters', () => {
  const web = secret('cdk1', { role: 'web' });
  it.each([
    ['is nothing when nobody looks into them', {}, []],
    [
      'is the TargetGroupBindings, of both kinds, of those that a set selects',
      { targetGroupSets: [set], secrets: [web, secret('cdk2')] },
      ['cdk1 TargetGroupBinding ', 'cdk1 EKSTargetGroupBinding '],
    ],
    ['is the nodes of those that a target names', { bindings: [binding(byLabel, byNode)] }, ['cdk1 Node ']],
    ['is the pods of the namespace of the binding', { bindings: [binding(byPod)] }, ['cdk1 Pod shop']],
    [
      'is the pods of the namespaces that targets name, each once',
      { bindings: [binding({ ...byPod, podNamespace: 'x' }, { ...byPod, name: 'e', podNamespace: 'x' })] },
      ['cdk1 Pod x'],
    ],
    ['is nothing for ids', { bindings: [binding(byId)] }, []],
  ])('%s', (_, known, want) => {
    const view = viewOf({ secrets: [web], ...known });
    const watches = remoteWatches([...view.Secret.list()], view);
    expect(watches.map((one) => `${one.secret.metadata.name} ${one.kind} ${one.namespace ?? ''}`)).toEqual(
      want,
    );
  });
});

const startSet: Instruction = {
  do: 'Start',
  kind: 'AWSTargetGroupSet',
  key: { namespace: 'shop', name: 'cart' },
};
const startBinding: Instruction = {
  do: 'Start',
  kind: 'AWSTargetGroupBinding',
  key: { namespace: 'shop', name: 'web' },
};

describe('an event in a cluster', () => {
  const web = secret('cdk1', { role: 'web' });
  const view = viewOf({ targetGroupSets: [set], bindings: [binding(byNode, byPod)], secrets: [web] });
  const object = (name: string, more: Partial<RemoteObject> = {}): RemoteObject =>
    trimRemote({ metadata: { name, namespace: 'shop', labels: { app: 'web' } }, ...more });
  const ready = (status: string, lastHeartbeatTime = '1') => {
    const conditions = [
      { type: 'MemoryPressure', status: 'False', lastHeartbeatTime },
      { type: 'Ready', status, lastHeartbeatTime },
    ];
    return { conditions };
  };

  it.each([
    ['about a TargetGroupBinding tells the sets', 'TargetGroupBinding', object('web1'), [startSet]],
    ['about that of EKS Auto Mode as well', 'EKSTargetGroupBinding', object('web1'), [startSet]],
    ['about the node that is named tells the binding', 'Node', object('node1'), [startBinding]],
    ['about another node tells nobody', 'Node', object('node2'), []],
    ['about a pod that is selected tells the binding', 'Pod', object('web-1'), [startBinding]],
    [
      'about a pod that is not selected tells nobody',
      'Pod',
      object('db-1', { metadata: { name: 'db-1', namespace: 'shop', labels: { app: 'db' } } }),
      [],
    ],
  ] as const)('%s', (_, kind, added, want) => {
    expect(routeRemote({ secret: web, kind }, { type: 'add', object: added }, view)).toEqual(want);
  });

  it('is nothing when only times have changed', () => {
    const [old, now] = [
      object('node1', { status: ready('True', '1') }),
      object('node1', { status: ready('True', '2') }),
    ];
    const event = { type: 'update', object: now, old } as const;
    expect(routeRemote({ secret: web, kind: 'Node' }, event, view)).toEqual([]);
  });

  it('tells of a node that is not ready any more', () => {
    const [old, now] = [
      object('node1', { status: ready('True') }),
      object('node1', { status: ready('False') }),
    ];
    const event = { type: 'update', object: now, old } as const;
    expect(routeRemote({ secret: web, kind: 'Node' }, event, view)).toEqual([startBinding]);
  });

  it('tells of a pod that is not selected any more', () => {
    const now = object('web-1', { metadata: { name: 'web-1', namespace: 'shop', labels: {} } });
    const event = { type: 'update', object: now, old: object('web-1') } as const;
    expect(routeRemote({ secret: web, kind: 'Pod' }, event, view)).toEqual([startBinding]);
  });

  it('tells everybody when a cluster is watched again', () => {
    expect(routeRecovery({ secret: web, kind: 'TargetGroupBinding' }, view)).toEqual([startSet]);
    expect(routeRecovery({ secret: web, kind: 'EKSTargetGroupBinding' }, view)).toEqual([startSet]);
    expect(routeRecovery({ secret: web, kind: 'Node' }, view)).toEqual([startBinding]);
  });
});

describe('what has to be watched', () => {
  const at = (generation: number) => ({ ...binding(byNode), metadata: { name: 'web', generation } });
  const edited = { type: 'update', object: at(2), old: at(1) } as const;
  const reported = { type: 'update', object: at(1), old: at(1) } as const;
  const added = { type: 'add', object: at(1) } as const;
  const relabelled = { type: 'update', object: secret('cdk1', { a: 'b' }), old: secret('cdk1') } as const;
  it.each([
    ['is looked at when a binding comes', { kind: 'AWSTargetGroupBinding', event: added }, true],
    ['is looked at when a binding is edited', { kind: 'AWSTargetGroupBinding', event: edited }, true],
    ['is not when its status is written', { kind: 'AWSTargetGroupBinding', event: reported }, false],
    ['is looked at when a secret changes', { kind: 'Secret', event: relabelled }, true],
  ] as const)('%s', (_, happened, want) => expect(decidesWatches(happened)).toBe(want));
});
