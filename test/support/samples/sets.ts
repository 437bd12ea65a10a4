import { groupARN, listenerARN } from './arns.ts';

/** A name, a spec, and what a refusal must mention. */
export type SetSample = readonly [string, unknown, string?];

const eks = (awseks: object, more: object = {}): object => ({ generators: [{ awseks }], ...more });
const demo = { matchTags: { Service: 'demo' } };
const labelled = (labels: object): object => ({ template: { metadata: { labels } } });
const role = { roleARN: 'arn:aws:iam::111122223333:role/okra' };

/** ClusterSets, good and bad. */
export const clusterSets: readonly SetSample[] = [
  ['tags and labels', eks({ selector: demo }, labelled({ service: 'demo' }))],
  [
    'the older spelling, and a template',
    eks({ clusterSelector: demo }, labelled({ role: '{{.awseks.cluster.tags.role}}' })),
  ],
  [
    'a template of a tag whose key has blanks',
    eks({ selector: demo }, labelled({ cost: '{{ .awseks.cluster.tags.Cost Center }}' })),
  ],
  [
    'a variable that does not exist',
    eks({ selector: demo }, labelled({ cost: '{{.awseks.cluster.tag.cost}}' })),
    'no other variables than',
  ],
  ['no template', eks({ selector: demo })],
  ['an empty template', eks({ selector: demo }, { template: { metadata: {} } })],
  ['two generators', { generators: [{ awseks: { selector: demo } }, { awseks: { clusterSelector: demo } }] }],
  ['another account', eks({ selector: demo, region: 'eu-central-1', ...role, externalID: 'shop' })],
  ['both spellings', eks({ selector: demo, clusterSelector: demo }), 'Exactly one of awseks.selector'],
  ['no selector', eks({}), 'Exactly one of awseks.selector'],
  ['no tags', eks({ selector: { matchTags: {} } }), 'matchTags must not be empty'],
  ['an empty selector', eks({ selector: {} }), 'matchTags'],
  ['no generators', { generators: [] }, 'spec.generators'],
  ['no spec', undefined, 'spec'],
  ['an unknown generator', { generators: [{}] }, 'awseks'],
  [
    'a place that is no region',
    eks({ selector: demo, region: 'Frankfurt' }),
    'a region such as eu-central-1',
  ],
  ['a user for a role', eks({ selector: demo, roleARN: listenerARN }), 'the ARN of an IAM role'],
  ['an external id alone', eks({ selector: demo, externalID: 'shop' }), 'awseks.roleARN'],
  [
    'the label that every secret has',
    eks({ selector: demo }, labelled({ 'argocd.argoproj.io/secret-type': 'repo' })),
    'secret-type',
  ],
];

const clusters = { clusterSelector: { matchLabels: { service: 'demo' } } };
const nodes = {
  name: 'nodes',
  clusterName: '{{.awseks.cluster.name}}',
  nodeSelector: { type: 'node' },
  port: 8080,
};
const created = { targetGroup: { vpcID: 'vpc-0123456789abcdef0' } };
const rendered = (spec: object): object => eks(clusters, { bindingTemplate: { spec } });

/** AWSTargetGroupSets, good and bad. */
export const targetGroupSets: readonly SetSample[] = [
  [
    'clusters and bindings',
    eks({ ...clusters, bindingSelector: { matchLabels: { role: 'web' } } }, { template: { metadata: {} } }),
  ],
  ['all bindings', eks(clusters)],
  [
    'an expression over clusters',
    eks({ clusterSelector: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } }),
  ],
  ['templates', eks(clusters, labelled({ role: '{{.awseks.cluster.tags.role}}' }))],
  [
    'bindings to render',
    eks(clusters, {
      bindingTemplate: {
        metadata: { name: 'web-{{.awseks.cluster.name}}', labels: { role: '{{.awseks.cluster.tags.role}}' } },
        spec: { ...created, targets: [nodes] },
      },
    }),
  ],
  ['bindings in the VPCs of their clusters', rendered({ targetGroup: {}, targets: [nodes] })],
  [
    'bindings in a VPC that nobody says',
    rendered({ targetGroup: {}, targets: [{ name: 'ips', ids: ['10.0.0.9'], port: 8080 }] }),
    'targetGroup.vpcID',
  ],
  ['bindings to one target group', rendered({ targetGroupARN: groupARN('web'), targets: [nodes] })],
  ['no clusters', eks({}), 'clusterSelector'],
  ['clusters without a term', eks({ clusterSelector: {} }), 'clusterSelector must not be empty'],
  ['no generators', { generators: [] }, 'spec.generators'],
  ['no spec', undefined, 'spec'],
  ['bindings without a target group', rendered({ targets: [nodes] })],
  [
    'bindings to two target groups',
    rendered({ ...created, targetGroupARN: groupARN('web'), targets: [nodes] }),
    'Only one of targetGroupARN and targetGroup',
  ],
  ['bindings without targets', rendered({ ...created, targets: [] }), 'targets'],
];

const binding = (...targets: object[]): object => ({ targetGroupARN: groupARN('web'), targets });
const byLabels = (nodeSelector: object): object => ({
  name: 'nodes',
  clusterSelector: { matchLabels: { role: 'web' } },
  nodeSelector,
  port: 8080,
});
const ids = { name: 'ips', ids: ['10.0.0.9'], port: 8080 };
const node = { name: 'node', clusterName: 'c1', nodeName: 'ip-10-0-0-1.ec2.internal', port: 8080 };
const pods = { name: 'pods', clusterName: 'c1', podSelector: { matchLabels: { app: 'web' } }, port: 8080 };
const group = (more: object): object => ({
  targets: [ids],
  targetGroup: { ...created.targetGroup, ...more },
});

/** AWSTargetGroupBindings, good and bad. */
export const targetGroupBindings: readonly SetSample[] = [
  ['ids, a node and nodes', binding(ids, node, byLabels({ matchLabels: { role: 'web' } }))],
  ['nodes by labels', binding(byLabels({ labels: { type: 'node' } }))],
  ['nodes by bare labels', binding(byLabels({ type: 'node', 'kubernetes.io/arch': 'arm64' }))],
  ['pods', binding(pods, { ...pods, name: 'others', podNamespace: 'shop' })],
  ['a target group to create', { ...group({}), deletionPolicy: 'Delete' }],
  [
    'a target group to create, in full',
    group({
      protocol: 'HTTP',
      port: 80,
      targetType: 'ip',
      healthCheck: { protocol: 'HTTP', path: '/healthz', intervalSeconds: 10, matcher: '200-299' },
    }),
  ],
  ['no target group', { targets: [node] }],
  ['no target group, and a VPC that nobody says', { targets: [ids] }, 'targetGroup.vpcID'],
  ['two target groups', { ...group({}), ...binding(ids) }, 'Only one of targetGroupARN and targetGroup'],
  ['no targets', binding(), 'spec.targets'],
  ['no spec', undefined, 'spec'],
  ['ids and a node', binding({ ...ids, ...node }), 'exactly one of ids'],
  ['neither ids nor nodes nor pods', binding({ name: 'a', port: 80 }), 'exactly one of ids'],
  ['ids in a cluster', binding({ ...ids, clusterName: 'c1' }), 'exactly one of clusterName'],
  ['a node of no cluster', binding({ name: 'node', nodeName: 'n', port: 80 }), 'exactly one of clusterName'],
  ['a namespace of nodes', binding({ ...node, podNamespace: 'shop' }), 'podNamespace'],
  ['no port', binding({ name: 'ips', ids: ['10.0.0.9'] }), 'port'],
  ['a port of 0', binding({ ...ids, port: 0 }), 'port'],
  ['no ids', binding({ ...ids, ids: [] }), 'ids'],
  ['one name twice', binding(ids, { ...node, name: 'ips' }), 'targets'],
  ['an unknown policy', { ...binding(ids), deletionPolicy: 'Keep' }, 'spec.deletionPolicy'],
  ['the VPC of a cluster', { targets: [ids, node], targetGroup: {} }],
  ['a VPC that nobody says', { targets: [ids], targetGroup: {} }, 'targetGroup.vpcID'],
  ['a VPC that is none', group({ vpcID: 'default' }), 'the id of a VPC'],
  ['a path of a TCP check', group({ healthCheck: { protocol: 'TCP', path: '/' } }), 'healthCheck.path'],
  [
    'a check that takes as long as the time between two',
    group({ healthCheck: { intervalSeconds: 6, timeoutSeconds: 6 } }),
    'intervalSeconds must be greater than',
  ],
  ['a check every second', group({ healthCheck: { intervalSeconds: 1 } }), 'intervalSeconds'],
];
