import { groupARN, listenerARN, networkListenerARN } from './arns.ts';
import { badCells } from './bad-cells.ts';
import { goodCells } from './good-cells.ts';
import { checks } from './checks.ts';
import { clusterSets, targetGroupBindings, targetGroupSets } from './sets.ts';
import { stagedBindingPolicies } from './staged.ts';

/** An object that a user might write, and whether it may be accepted. */
export interface Sample {
  readonly name: string;
  readonly kind:
    | 'Cell'
    | 'AWSTargetGroup'
    | 'AWSApplicationLoadBalancerConfig'
    | 'AWSNetworkLoadBalancerConfig'
    | 'AWSApplicationLoadBalancerTargetDeployment'
    | 'Freeze'
    | 'AccessPolicy'
    | 'ClusterSet'
    | 'AWSTargetGroupSet'
    | 'AWSTargetGroupBinding'
    | 'Check'
    | 'StagedBindingPolicy';
  readonly spec: unknown;
  /** What a refusal must mention; undefined when the object is good. */
  readonly refusal?: string;
}

const config = (targetGroups: unknown[], changed: object = {}): object => ({
  listenerARN,
  listener: { rule: { priority: 20, hosts: ['x.com'], forward: { targetGroups }, ...changed } },
});
const group = (name: string, weight: unknown): object => ({ name, arn: groupARN(name), weight });

const configs: readonly (readonly [string, unknown, string?])[] = [
  ['two groups', config([group('prev', 40), group('next', 60)])],
  ['one group', config([group('only', 1)])],
  ['the highest weight', config([group('a', 999), group('b', 0)])],
  ['a weight of 1000', config([group('a', 1000)]), 'weight'],
  ['no weight', config([{ name: 'a', arn: groupARN('a') }]), 'weight'],
  ['weights of 0 alone', config([group('a', 0), group('b', 0)]), 'weight above 0'],
  ['the same group twice', config([group('a', 1), { ...group('b', 1), arn: groupARN('a') }]), 'targetGroups'],
  ['six groups', config(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => group(name, 1))), 'targetGroups'],
  ['no groups', config([]), 'targetGroups'],
  ['a weight below 0', config([group('a', -1)]), 'weight'],
  ['a group without a name', config([{ arn: groupARN('a'), weight: 1 }]), 'targetGroups[0].name'],
  ['a listener as a group', config([{ name: 'a', arn: listenerARN, weight: 1 }]), 'targetGroups[0].arn'],
  ['no condition', config([group('a', 1)], { hosts: [] }), 'at least one condition'],
  ['no priority', config([group('a', 1)], { priority: undefined }), 'rule.priority'],
  ['no listener', { listener: {} }, 'spec.listenerARN'],
  ['no spec', undefined, 'spec'],
  ['no forward', { listenerARN, listener: { rule: { priority: 1, hosts: ['a'] } } }, 'forward'],
];

const sticky = (forward: object): object =>
  config([], { forward: { targetGroups: [group('a', 1)], ...forward } });
const groupStickiness = { targetGroupStickiness: { durationSeconds: 60 } };
const targetStickiness = { targetStickiness: { type: 'lb_cookie', durationSeconds: 60 } };

const keptAndDeleted: typeof configs = [
  ['clients that stay', sticky({ ...groupStickiness, ...targetStickiness })],
  ['a target that keeps clients its group does not', sticky(targetStickiness), 'targetGroupStickiness'],
  ['a rule that goes with its object', { ...config([group('a', 1)]), deletionPolicy: 'Delete' }],
  ['an unknown policy', { ...config([group('a', 1)]), deletionPolicy: 'Keep' }, 'spec.deletionPolicy'],
  [
    'the listener of a network load balancer',
    { ...config([group('a', 1)]), listenerARN: networkListenerARN },
    'listener of an Application Load Balancer',
  ],
];

const network = (targetGroups: unknown[], forward: object = {}): object => ({
  listenerARN: networkListenerARN,
  listener: { forward: { targetGroups, ...forward } },
});

const networkConfigs: typeof configs = [
  ['two groups', network([group('prev', 40), group('next', 60)])],
  ['a weight of 1000', network([group('a', 1000)]), 'weight'],
  ['weights of 0 alone', network([group('a', 0)]), 'weight above 0'],
  ['six groups', network(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => group(name, 1))), 'targetGroups'],
  [
    'the listener of an application load balancer',
    { ...network([group('a', 1)]), listenerARN },
    'listener of a Network Load Balancer',
  ],
  ['no listener', { listener: { forward: { targetGroups: [group('a', 1)] } } }, 'spec.listenerARN'],
  ['clients that stay', network([group('a', 1)], { targetGroupStickiness: { enabled: true } })],
  ['clients that stay for a time', network([group('a', 1)], groupStickiness), 'Stickiness.enabled'],
  ['clients that stay with a target', network([group('a', 1)], targetStickiness), 'Network Load Balancer'],
];

const groups: readonly (readonly [string, unknown, string?])[] = [
  ['an ARN', { arn: groupARN('web') }],
  ['an ARN of a government region', { arn: groupARN('web').replace('arn:aws:', 'arn:aws-us-gov:') }],
  ['no spec', undefined, 'spec'],
  ['no ARN', {}, 'spec.arn'],
  ['an ARN of something else', { arn: listenerARN }, 'target group'],
  [
    'a placeholder for the region',
    { arn: groupARN('web').replace('ap-northeast-1', 'REGION') },
    'target group',
  ],
  ['an ARN without an id', { arn: groupARN('web').replace('/0123456789abcdef', '') }, 'target group'],
];

const freezes: readonly (readonly [string, unknown, string?])[] = [
  ['who and why', { by: 'ann', reason: 'Black Friday' }],
  ['an end', { by: 'ann', reason: 'Black Friday', until: '2026-11-30T08:00:00Z' }],
  ['an end with an offset', { by: 'ann', reason: 'Black Friday', until: '2026-11-30T08:00:00+01:00' }],
  ['some namespaces', { by: 'ann', reason: 'Black Friday', namespaces: ['shop'] }],
  ['nobody', { reason: 'Black Friday' }, 'spec.by'],
  ['no reason', { by: 'ann' }, 'spec.reason'],
  ['a blank reason', { by: 'ann', reason: '  ' }, 'spec.reason'],
  ['no namespaces', { by: 'ann', reason: 'Black Friday', namespaces: [] }, 'namespaces'],
  ['the same namespace twice', { by: 'ann', reason: 'x', namespaces: ['shop', 'shop'] }, 'spec.namespaces'],
  ...[
    ['no time', 'Monday'],
    ['a day that never comes', '2027-02-29T08:00:00Z'],
    ['a time with an offset of 25 hours', '2026-11-30T08:00:00+25:00'],
    ['a time that nobody can read', '2026-11-30T08:00:00x5Z'],
    ['a time without an offset', '2026-11-30T08:00:00'],
  ].map(([name, until]): readonly [string, unknown, string] => [
    `an end that is ${name}`,
    { by: 'ann', reason: 'Black Friday', until },
    'spec.until',
  ]),
];

const role = 'arn:aws:iam::111122223333:role/team-a/*';
const accessPolicies: readonly (readonly [string, unknown, string?])[] = [
  ['a namespace that may use nothing', { namespaces: ['team-a'] }],
  [
    'all that there is to list',
    {
      namespaces: ['team-a', 'team-a-*'],
      roles: [{ arn: role }, { arn: role, externalIDs: ['team-a'] }],
      clusters: ['arn:aws:eks:*:111122223333:cluster/team-a-*'],
      servers: ['*.azmk8s.io'],
      targetGroups: [groupARN('team-a-*')],
      listeners: [listenerARN, networkListenerARN],
    },
  ],
  ['nobody', {}, 'spec.namespaces'],
  ['no namespaces', { namespaces: [] }, 'spec.namespaces'],
  ['what no namespace is called', { namespaces: ['team.a'] }, 'name of a namespace, or a pattern'],
  ['a role without an ARN', { namespaces: ['a'], roles: [{ externalIDs: ['a'] }] }, 'spec.roles[0].arn'],
  ['an empty pattern', { namespaces: ['a'], listeners: [''] }, 'spec.listeners[0]'],
];

const sample = (kind: Sample['kind'], name: string, spec: unknown, refusal?: string): Sample => ({
  kind,
  name,
  spec,
  ...(refusal === undefined ? {} : { refusal }),
});

/** Objects of every kind, good and bad. */
export const samples: readonly Sample[] = [
  ...Object.entries(goodCells).map(([name, spec]) => sample('Cell', name, spec)),
  ...badCells.map(([name, spec, refusal]) => sample('Cell', name, spec, refusal)),
  ...configs.map(([name, spec, refusal]) => sample('AWSApplicationLoadBalancerConfig', name, spec, refusal)),
  ...freezes.map(([name, spec, refusal]) => sample('Freeze', name, spec, refusal)),
  ...accessPolicies.map(([name, spec, refusal]) => sample('AccessPolicy', name, spec, refusal)),
  ...keptAndDeleted.map(([name, spec, refusal]) =>
    sample('AWSApplicationLoadBalancerConfig', name, spec, refusal),
  ),
  ...networkConfigs.map(([name, spec, refusal]) =>
    sample('AWSNetworkLoadBalancerConfig', name, spec, refusal),
  ),
  sample('AWSApplicationLoadBalancerTargetDeployment', 'an empty spec', {}),
  ...groups.map(([name, spec, refusal]) => sample('AWSTargetGroup', name, spec, refusal)),
  ...clusterSets.map(([name, spec, refusal]) => sample('ClusterSet', name, spec, refusal)),
  ...targetGroupSets.map(([name, spec, refusal]) => sample('AWSTargetGroupSet', name, spec, refusal)),
  ...targetGroupBindings.map(([name, spec, refusal]) => sample('AWSTargetGroupBinding', name, spec, refusal)),
  ...checks.map(([name, spec, refusal]) => sample('Check', name, spec, refusal)),
  ...stagedBindingPolicies.map(([name, spec, refusal]) => sample('StagedBindingPolicy', name, spec, refusal)),
];
