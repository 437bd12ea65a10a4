import { describe, expect, it } from 'vitest';
import type { BindingTarget } from '../../../crds/aws-target-group-binding.ts';
import { nodeSelectorOf, type SeenCluster, instanceIdOf } from './binding-ids.ts';
import type { SeenObject } from '../clusters/seen.ts';
import type { RegisteredTarget } from './registered-target.ts';
import {
  decideBinding,
  deregisterAll,
  LARGEST_BATCH,
  splitBatches,
  type ObservedBinding,
} from './target-group-binding.ts';

const web = { role: 'web' };
const node = (name: string, changed: Partial<SeenObject> = {}): SeenObject => ({
  namespace: 'default',
  name,
  labels: web,
  providerID: `aws:///eu-central-1a/i-${name}`,
  address: `10.0.0.${Number.parseInt(name, 16)}`,
  isReady: true,
  isEnding: false,
  ...changed,
});
const pod = (address: string, changed: Partial<SeenObject> = {}): SeenObject => ({
  namespace: 'default',
  name: 'p',
  labels: web,
  address,
  isReady: true,
  isEnding: false,
  ...changed,
});
const cluster = (name: string, nodes: SeenObject[], pods: SeenObject[] = []): SeenCluster => ({
  name,
  labels: web,
  what: pods.length > 0 ? 'pods/default' : 'nodes',
  seen: { ok: true, objects: [...nodes, ...pods] },
});
const hung: SeenCluster = {
  name: 'c2',
  labels: web,
  seen: { ok: false, reason: 'ClusterUnreachable', message: 'Expected c2 to answer within 10 s.' },
};

const nodes: BindingTarget = {
  name: 'nodes',
  clusterSelector: { matchLabels: web },
  nodeSelector: { role: 'web' },
  port: 80,
};
const pods: BindingTarget = { name: 'pods', clusterName: 'c1', podSelector: { matchLabels: web }, port: 80 };
const at = (...ids: string[]) => ids.map((id) => ({ id, port: 80 }));
const ours = (...ids: string[]): RegisteredTarget[] => [{ name: 'nodes', port: 80, ids }];

const inBoth: RegisteredTarget[] = [
  {
    name: 'nodes',
    port: 80,
    ids: ['i-a', 'i-c'],
    byCluster: [
      { cluster: 'c1', ids: ['i-a'] },
      { cluster: 'c2', ids: ['i-c'] },
    ],
  },
];

function short(changed: Partial<ObservedBinding>) {
  const decision = decideBinding({
    namespace: 'default',
    targets: [nodes],
    targetType: 'instance',
    clusters: [],
    registered: [],
    ours: [],
    ...changed,
  });
  return {
    register: decision.register.map(({ id }) => id),
    deregister: decision.deregister.map(({ id }) => id),
    ids: decision.targets.flatMap(({ ids = [] }) => ids),
    problems: decision.problems.map(({ reason }) => reason),
  };
}
const nothing = { register: [], deregister: [], ids: [], problems: [] };
const ips = { targets: [pods], targetType: 'ip' } as const;
const podOurs = [{ name: 'pods', port: 80, ids: ['10.0.0.9'] }];

const table: [string, Partial<ObservedBinding>, Partial<ReturnType<typeof short>>][] = [
  [
    'A-B01 registers ids',
    { targets: [{ name: 'ips', ids: ['10.0.0.9'], port: 80 }] },
    { register: ['10.0.0.9'], ids: ['10.0.0.9'] },
  ],
  [
    'A-B02 registers one node of one cluster',
    {
      targets: [{ name: 'n', clusterName: 'c1', nodeName: 'b', port: 80 }],
      clusters: [cluster('c1', [node('a'), node('b')])],
    },
    { register: ['i-b'], ids: ['i-b'] },
  ],
  [
    'A-B03 registers the nodes of many clusters',
    { clusters: [cluster('c1', [node('a'), node('b', { labels: {} })]), cluster('c2', [node('c')])] },
    { register: ['i-a', 'i-c'], ids: ['i-a', 'i-c'] },
  ],
  [
    'A-B04 registers a node that joins, and deregisters one that leaves',
    { clusters: [cluster('c1', [node('b')])], registered: at('i-a'), ours: ours('i-a') },
    { register: ['i-b'], deregister: ['i-a'], ids: ['i-b'] },
  ],
  [
    'keeps what a cluster had that is missing, and takes what is new elsewhere',
    {
      clusters: [cluster('c1', [node('a'), node('b')])],
      registered: at('i-a', 'i-c'),
      ours: inBoth,
      missing: ['c2'],
    },
    { register: ['i-b'], ids: ['i-a', 'i-b', 'i-c'] },
  ],
  [
    'deregisters what a cluster had that is not waited for any more',
    { clusters: [cluster('c1', [node('a')])], registered: at('i-a', 'i-c'), ours: inBoth },
    { deregister: ['i-c'], ids: ['i-a'] },
  ],
  ['A-B04 leaves targets of others', { clusters: [cluster('c1', [])], registered: at('i-a') }, {}],
  [
    'has with another object what that has registered',
    { clusters: [cluster('c1', [node('a')])], registered: at('i-a'), isShared: () => true },
    { ids: ['i-a'] },
  ],
  [
    'does not take for its own what others have registered',
    { clusters: [cluster('c1', [node('a')])], registered: at('i-a') },
    {},
  ],
  [
    'does nothing when all is as it is to be',
    { clusters: [cluster('c1', [node('a')])], registered: at('i-a'), ours: ours('i-a') },
    { ids: ['i-a'] },
  ],
  [
    'registers again what someone else has deregistered',
    { clusters: [cluster('c1', [node('a')])], ours: ours('i-a') },
    { register: ['i-a'], ids: ['i-a'] },
  ],
  [
    'deregisters nothing of a cluster that cannot be read',
    { clusters: [cluster('c1', [node('a')]), hung], registered: at('i-a', 'i-c'), ours: ours('i-a', 'i-c') },
    { ids: ['i-a', 'i-c'], problems: ['ClusterUnreachable'] },
  ],
  [
    'deregisters what leaves a cluster while another cannot be read',
    {
      clusters: [cluster('c1', [node('b')]), hung],
      registered: at('i-a', 'i-b', 'i-c'),
      ours: [
        {
          name: 'nodes',
          port: 80,
          ids: ['i-a', 'i-b', 'i-c'],
          byCluster: [
            { cluster: 'c1', ids: ['i-a', 'i-b'] },
            { cluster: 'c2', ids: ['i-c'] },
          ],
        },
      ],
    },
    { deregister: ['i-a'], ids: ['i-b', 'i-c'], problems: ['ClusterUnreachable'] },
  ],
  [
    'does not keep what was leaving when a cluster cannot be read',
    {
      clusters: [hung],
      registered: at('i-a', 'i-c'),
      ours: [
        { name: 'nodes', port: 80, ids: ['i-c'], byCluster: [{ cluster: 'c2', ids: ['i-c'] }] },
        { name: 'nodes', port: 80, ids: ['i-a'], byCluster: [] },
      ],
    },
    { deregister: ['i-a'], ids: ['i-c'], problems: ['ClusterUnreachable'] },
  ],
  [
    'registers with another port what a cluster had that cannot be read',
    {
      targets: [{ ...nodes, port: 81 }],
      clusters: [hung],
      registered: at('i-c'),
      ours: ours('i-c'),
    },
    { register: ['i-c'], deregister: ['i-c'], ids: ['i-c'], problems: ['ClusterUnreachable'] },
  ],
  [
    'deregisters nothing of a cluster that cannot be read and has the name of another',
    {
      clusters: [cluster('c2', [node('a')]), hung],
      registered: at('i-a', 'i-b'),
      ours: [
        {
          name: 'nodes',
          port: 80,
          ids: ['i-a', 'i-b'],
          byCluster: [
            { cluster: 'c2', ids: ['i-a'] },
            { cluster: 'c2', ids: ['i-b'] },
          ],
        },
      ],
    },
    { ids: ['i-a', 'i-b'], problems: ['ClusterUnreachable'] },
  ],
  [
    'keeps what a cluster had that is missing, and nothing of others, whose names are not known either',
    {
      clusters: [cluster('c1', [node('a')])],
      registered: at('i-a', 'i-c'),
      ours: inBoth,
      missing: ['c3'],
    },
    { deregister: ['i-c'], ids: ['i-a'] },
  ],
  [
    'deregisters nothing of a cluster that cannot be read when its target is renamed',
    {
      targets: [{ ...nodes, name: 'renamed' }],
      clusters: [cluster('c1', [node('a')]), hung],
      registered: at('i-a', 'i-c'),
      ours: inBoth,
    },
    { ids: ['i-a', 'i-c'], problems: ['ClusterUnreachable'] },
  ],
  [
    'deregisters nothing of a cluster that cannot be read when its target is split by clusters',
    {
      targets: [
        { name: 'nodes', clusterName: 'c1', nodeSelector: web, port: 80 },
        { name: 'others', clusterName: 'c2', nodeSelector: web, port: 80 },
      ],
      clusters: [cluster('c1', [node('a')]), hung],
      registered: at('i-a', 'i-c'),
      ours: inBoth,
    },
    { ids: ['i-a', 'i-c'], problems: ['ClusterUnreachable'] },
  ],
  [
    'deregisters nothing of a named cluster that cannot be read when its target is renamed',
    {
      targets: [{ name: 'renamed', clusterName: 'c2', nodeSelector: web, port: 80 }],
      clusters: [hung],
      registered: at('i-c'),
      ours: [{ name: 'one', port: 80, ids: ['i-c'], byCluster: [{ cluster: 'c2', ids: ['i-c'] }] }],
    },
    { ids: ['i-c'], problems: ['ClusterUnreachable'] },
  ],
  [
    'deregisters what leaves a cluster that can be read when its target is renamed while another cannot',
    {
      targets: [{ ...nodes, name: 'renamed' }],
      clusters: [cluster('c1', [node('b')]), hung],
      registered: at('i-a', 'i-b', 'i-c'),
      ours: inBoth,
    },
    { deregister: ['i-a'], ids: ['i-c'], problems: ['ClusterUnreachable'] },
  ],
  [
    'deregisters what was found in a cluster that cannot be read, and that no target looks into any more',
    {
      targets: [{ name: 'nodes', clusterName: 'c1', nodeSelector: web, port: 80 }],
      clusters: [cluster('c1', [node('a')])],
      registered: at('i-a', 'i-c'),
      ours: inBoth,
    },
    { deregister: ['i-c'], ids: ['i-a'] },
  ],
  [
    'reads nodes when the pods of the cluster cannot be read',
    {
      clusters: [
        { ...cluster('c1', [node('a')]), what: 'nodes' },
        { ...hung, name: 'c1', what: 'pods/default' },
      ],
    },
    { register: ['i-a'], ids: ['i-a'] },
  ],
  [
    'deregisters no pod when only the nodes of the cluster can be read',
    {
      ...ips,
      clusters: [
        { ...cluster('c1', []), what: 'nodes' },
        { ...hung, name: 'c1', what: 'pods/default' },
      ],
      registered: at('10.0.0.9'),
      ours: podOurs,
    },
    { ids: ['10.0.0.9'], problems: ['ClusterUnreachable'] },
  ],
  [
    'deregisters nothing of a named cluster that is not known',
    {
      targets: [{ name: 'nodes', clusterName: 'c9', nodeName: 'a', port: 80 }],
      registered: at('i-a'),
      ours: ours('i-a'),
    },
    { ids: ['i-a'], problems: ['ClusterNotFound'] },
  ],
  [
    'deregisters what a target was about that is gone from the spec',
    {
      targets: [{ name: 'ips', ids: ['i-b'], port: 80 }],
      registered: at('i-a', 'i-b'),
      ours: [...ours('i-a'), { name: 'ips', port: 80, ids: ['i-b'] }],
    },
    { deregister: ['i-a'], ids: ['i-b'] },
  ],
  [
    'registers what two targets name once',
    { targets: [nodes, { name: 'ids', ids: ['i-a'], port: 80 }], clusters: [cluster('c1', [node('a')])] },
    { register: ['i-a'], ids: ['i-a', 'i-a'] },
  ],
  ['waits for a node that is not ready', { clusters: [cluster('c1', [node('a', { isReady: false })])] }, {}],
  [
    'keeps a node that is not ready any more',
    { clusters: [cluster('c1', [node('a', { isReady: false })])], registered: at('i-a'), ours: ours('i-a') },
    { ids: ['i-a'] },
  ],
  [
    'deregisters a node that is being deleted',
    {
      clusters: [cluster('c1', [node('a', { isEnding: true })])],
      registered: at('i-a'),
      ours: ours('i-a'),
    },
    { deregister: ['i-a'] },
  ],
  [
    'leaves out a node that wants to be behind no load balancer',
    {
      clusters: [
        cluster('c1', [
          node('a', { labels: { ...web, 'node.kubernetes.io/exclude-from-external-load-balancers': '' } }),
        ]),
      ],
    },
    {},
  ],
  [
    'reports a node that is no instance',
    { clusters: [cluster('c1', [node('a', { providerID: 'aws:///eu-central-1a/x/fargate-ip' })])] },
    { problems: ['NodeWithoutId'] },
  ],
  [
    'takes the addresses of nodes for a target group of addresses',
    { targetType: 'ip', clusters: [cluster('c1', [node('a')])] },
    { register: ['10.0.0.10'], ids: ['10.0.0.10'] },
  ],
  [
    'registers pods of the namespace',
    { ...ips, clusters: [cluster('c1', [], [pod('10.0.0.9'), pod('10.0.0.8', { namespace: 'shop' })])] },
    { register: ['10.0.0.9'], ids: ['10.0.0.9'] },
  ],
  [
    'waits for a pod that is not ready, or has no address',
    {
      ...ips,
      clusters: [cluster('c1', [], [pod('10.0.0.9', { isReady: false }), pod('', { address: undefined })])],
    },
    {},
  ],
  [
    'deregisters a pod that has ended',
    {
      ...ips,
      clusters: [cluster('c1', [], [pod('10.0.0.9', { isEnding: true })])],
      registered: at('10.0.0.9'),
      ours: podOurs,
    },
    { deregister: ['10.0.0.9'] },
  ],
  [
    'reports pods for a target group of instances',
    { targets: [pods], clusters: [cluster('c1', [], [pod('10.0.0.9')])] },
    { problems: ['PodsNeedAddresses'] },
  ],
  [
    'reports a node selector that says nothing',
    { targets: [{ ...nodes, nodeSelector: {} }], clusters: [cluster('c1', [node('a')])] },
    { problems: ['EmptyNodeSelector'] },
  ],
];

describe('the targets of an AWSTargetGroupBinding', () => {
  it.each(table)('%s', (_, observed, want) => expect(short(observed)).toEqual({ ...nothing, ...want }));

  it('are recorded before they are registered, with what is not deregistered yet', () => {
    const decision = decideBinding({
      namespace: 'default',
      targets: [nodes],
      targetType: 'instance',
      clusters: [cluster('c1', [node('b')])],
      registered: at('i-a'),
      ours: ours('i-a'),
    });
    const byCluster = [{ cluster: 'c1', ids: ['i-b'] }];
    expect(decision.targets).toEqual([
      { name: 'nodes', port: 80, ids: ['i-b'], clusters: ['c1'], byCluster },
    ]);
    const leaving = { name: 'nodes', port: 80, ids: ['i-a'], byCluster: [] };
    expect(decision.claim).toEqual([...decision.targets, leaving]);
  });

  it('come in batches that ELBv2 takes', () => {
    const many = Array.from({ length: LARGEST_BATCH + 1 }, (_, index) => node((index + 16).toString(16)));
    const decision = decideBinding({
      namespace: 'default',
      targets: [nodes],
      targetType: 'instance',
      clusters: [cluster('c1', many)],
      registered: [],
      ours: [],
    });
    expect(splitBatches(decision.register).map(({ length }) => length)).toEqual([LARGEST_BATCH, 1]);
  });

  describe('that are more than a status has room for', () => {
    const many = (from: number, count: number): SeenObject[] =>
      Array.from({ length: count }, (_, index) => node((from + index).toString(16).padStart(6, '0')));
    const decide = (targets: BindingTarget[], before: RegisteredTarget[], ...clusters: SeenCluster[]) =>
      decideBinding({
        namespace: 'default',
        targets,
        targetType: 'instance',
        clusters,
        registered: before.flatMap(({ ids = [], port }) => ids.map((id) => ({ id, port }))),
        ours: before,
      });

    it('are registered as far as they fit, first those that were, and the rest is reported', () => {
      const last = ['i-0004af'];
      const { targets, register, deregister, problems } = decide(
        [nodes],
        ours(...last),
        cluster('c1', many(1, 1200)),
      );
      expect(targets[0]?.ids).toHaveLength(1000);
      expect(targets[0]?.byCluster?.[0]?.ids).toHaveLength(1000);
      expect(targets[0]?.ids).toContain(last[0]);
      expect(register).toHaveLength(999);
      expect(deregister).toEqual([]);
      expect(problems).toMatchObject([{ object: 'nodes', reason: 'TooManyIds' }]);
      expect(problems[0]?.message).toContain('Target nodes has 1200 ids, of which only 1000 are registered');
    });
  });

  it('are all deregistered with the object, and those of others are not', () => {
    expect(deregisterAll(ours('i-a', 'i-b'), at('i-a', 'i-c'))).toEqual(at('i-a'));
  });
});

describe('a node selector', () => {
  it.each([
    ['bare labels', { role: 'web' }],
    ['labels', { labels: { role: 'web' } }],
    ['matchLabels', { matchLabels: { role: 'web' } }],
  ])('A-B07 means the same as %s', (_, selector) => {
    expect(nodeSelectorOf(selector as Parameters<typeof nodeSelectorOf>[0])).toEqual({
      matchLabels: { role: 'web' },
      matchExpressions: [],
    });
  });
});

describe('the instance of a node', () => {
  it.each([
    ['aws:///eu-central-1a/i-0123456789abcdef0', 'i-0123456789abcdef0'],
    ['aws:///eu-central-1a/i-0123456789abcdef0/more', undefined],
    ['kwok://node', undefined],
    [undefined, undefined],
  ])('of %s is %s', (providerID, id) => expect(instanceIdOf(providerID)).toBe(id));
});
