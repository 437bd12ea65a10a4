import { boolean, enum as choice, object, optional, string, type z } from 'zod';
import {
  atomicList,
  deletionPolicy,
  integer,
  labelSelector,
  listOf,
  mapOf,
  nonEmpty,
  targetGroupARN,
} from './common.ts';
import { defineResource, type Resource } from './resource.ts';
import { refuseBoth, requireWith, type Rule, withRules } from './rules.ts';
import { missing, syncColumns, syncStatus, templateName, withPattern } from './sets.ts';

const healthCheck = withRules(
  object({
    protocol: optional(choice(['HTTP', 'HTTPS', 'TCP'])).describe(
      'The protocol of the health check: HTTP, HTTPS or TCP. Default: what AWS chooses for the protocol of the target group.',
    ),
    path: optional(nonEmpty(1024)).describe('The path to request. Default: /.'),
    port: optional(integer(1, 65_535)).describe(
      'The port to check. Default: the port that the target listens on.',
    ),
    intervalSeconds: optional(integer(5, 300)).describe(
      'Seconds between two checks of a target, more than timeoutSeconds. Default: what AWS chooses; above timeoutSeconds if that is set.',
    ),
    timeoutSeconds: optional(integer(2, 120)).describe(
      'Seconds until a check fails. Default: what AWS chooses, or one second less than intervalSeconds if intervalSeconds is not above that.',
    ),
    healthyThreshold: optional(integer(2, 10)).describe('Successes in a row that make a target healthy.'),
    unhealthyThreshold: optional(integer(2, 10)).describe('Failures in a row that make a target unhealthy.'),
    matcher: optional(nonEmpty(100)).describe(
      'The HTTP status codes of a healthy target, for example 200-299.',
    ),
  }),
  [
    {
      cel: "!(has(self.path) || has(self.matcher)) || !has(self.protocol) || self.protocol != 'TCP'",
      message: 'healthCheck.path and healthCheck.matcher are only allowed with HTTP or HTTPS. Remove them.',
    },
    {
      cel: '!has(self.intervalSeconds) || !has(self.timeoutSeconds) || self.intervalSeconds > self.timeoutSeconds',
      message:
        'healthCheck.intervalSeconds must be greater than healthCheck.timeoutSeconds, as AWS requires. Correct one of them.',
    },
  ],
);

export const newTargetGroup = object({
  protocol: choice(['HTTP', 'HTTPS', 'TCP', 'TLS', 'UDP', 'TCP_UDP'])
    .default('HTTP')
    .describe(
      'HTTP or HTTPS for an Application Load Balancer; TCP, TLS, UDP or TCP_UDP for a Network Load Balancer.',
    ),
  port: optional(integer(1, 65_535)).describe(
    'The port for targets without their own. Default: the port of the first entry of targets.',
  ),
  vpcID: optional(
    withPattern(nonEmpty(32), '^vpc-[0-9a-f]{8,17}$', 'the id of a VPC, such as vpc-0123456789abcdef0'),
  ).describe('The VPC of the targets. Default: the VPC in the secrets of their clusters.'),
  targetType: choice(['instance', 'ip'])
    .default('instance')
    .describe('The type of the targets: instance for nodes, ip for pods or nodes.'),
  healthCheck: optional(healthCheck).describe('The health check of the targets. Default: what AWS chooses.'),
});

/** What Okra creates where a spec neither names a target group nor describes one. */
export const usualTargetGroup = newTargetGroup.parse({});

/** What holds of a spec that names a target group, or has one created: someone says the VPC of that one. */
export const targetGroupRules: readonly Rule[] = [
  refuseBoth(
    'targetGroupARN',
    'targetGroup',
    'Only one of targetGroupARN and targetGroup may be set. Remove one.',
  ),
  {
    cel: 'has(self.targetGroupARN) || (has(self.targetGroup) && has(self.targetGroup.vpcID)) || self.targets.exists(t, !has(t.ids))',
    message:
      'targetGroup.vpcID is required, because all targets are ids, so no cluster gives their VPC. Set it.',
  },
];

export type NewTargetGroup = z.output<typeof newTargetGroup>;

const labels = mapOf('nodeSelector', string().max(1024));

// Labels may stand in a nodeSelector by themselves, which only a schema that preserves what it does not know can let pass.
const nodeSelector = object({
  labels: optional(labels).describe('Another spelling of matchLabels.'),
  matchLabels: optional(labels).describe('Labels that a node must have, with exactly these values.'),
  matchExpressions: labelSelector.shape.matchExpressions,
})
  .catchall(string().max(1024))
  .meta({ 'x-kubernetes-preserve-unknown-fields': true })
  .describe(
    'The nodes to register, by their labels, in one of three spellings: {matchLabels: {type: node}}, {labels: {type: node}} and {type: node}.',
  );

const bindingTarget = withRules(
  object({
    name: nonEmpty(63).describe('A name for these targets, which the status uses.'),
    ids: optional(atomicList(nonEmpty(253), 100, 1)).describe(
      'The ids of targets in AWS: instance ids or IP addresses, depending on the type of the target group.',
    ),
    clusterName: optional(templateName).describe(
      'The cluster with the nodes or pods, by the name of its Argo CD cluster secret.',
    ),
    clusterSelector: optional(labelSelector).describe(
      'The clusters with the nodes or pods, by the labels of their Argo CD cluster secrets.',
    ),
    nodeName: optional(nonEmpty(253)).describe('The name of one node to register.'),
    nodeSelector: optional(nodeSelector),
    podSelector: optional(labelSelector).describe(
      'The pods to register by their IP addresses. Okra registers a pod when it is ready, and deregisters it only when it ends; in between, the load balancer alone checks its health.',
    ),
    podNamespace: optional(nonEmpty(63)).describe(
      'The namespace of the pods. Default: that of the AWSTargetGroupBinding.',
    ),
    port: integer(1, 65_535).describe('The port that the targets listen on.'),
  }),
  [
    {
      cel: '(has(self.ids) ? 1 : 0) + (has(self.nodeName) ? 1 : 0) + (has(self.nodeSelector) ? 1 : 0) + (has(self.podSelector) ? 1 : 0) == 1',
      message: 'Each target must have exactly one of ids, nodeName, nodeSelector and podSelector. Split it.',
    },
    {
      cel: '(has(self.clusterName) ? 1 : 0) + (has(self.clusterSelector) ? 1 : 0) == (has(self.ids) ? 0 : 1)',
      message:
        'nodeName, nodeSelector and podSelector need exactly one of clusterName and clusterSelector; ids need neither. Correct the target.',
    },
    requireWith('podNamespace', ['podSelector'], 'podNamespace is only allowed with podSelector. Remove it.'),
  ],
);

/** All targets of a binding, each with a name of its own. */
export const bindingTargets = listOf(bindingTarget, 20, 1)
  // The API server says so of a map by itself.
  .refine((targets) => new Set(targets.map(({ name }) => name)).size === targets.length, {
    message: 'Names of targets must be unique. Rename one.',
  })
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] });

export type BindingTarget = z.output<typeof bindingTarget>;

const spec = withRules(
  object({
    targetGroupARN: optional(targetGroupARN).describe(
      'The target group to register targets in. Without it, Okra creates one.',
    ),
    targetGroup: optional(newTargetGroup).describe(
      'The target group to create. Every field has a default, so it can be left out. Its tag okra.mumo.co/owner names this object.',
    ),
    targets: bindingTargets.describe('The targets to register. Okra leaves targets that others registered.'),
    deletionPolicy: optional(deletionPolicy).describe(
      'What happens to a target group that Okra created when this object is deleted: Retain (default) or Delete. Okra always deregisters the targets that it registered.',
    ),
  }),
  [
    ...targetGroupRules,
    {
      cel: 'has(self.targetGroupARN) == has(oldSelf.targetGroupARN) && (!has(self.targetGroupARN) || self.targetGroupARN == oldSelf.targetGroupARN)',
      message:
        'spec.targetGroupARN is immutable, because its targets may be serving traffic. Create another AWSTargetGroupBinding, and delete this one once no load balancer forwards to its target group.',
    },
  ],
);

const registered = object({
  name: string().max(63).describe('The name of the targets in the spec.'),
  port: integer(1, 65_535).describe('The port that they are registered with.'),
  ids: optional(atomicList(string().max(253), 1000)).describe(
    'The instance ids or IP addresses that this object has registered.',
  ),
  clusters: optional(atomicList(string().max(253), 1000)).describe(
    'The clusters that Okra has read, with clusterSelector.',
  ),
  byCluster: optional(
    atomicList(
      object({
        cluster: string().max(253).describe('The name of the cluster.'),
        ids: atomicList(string().max(253), 1000).describe('The ids that Okra found in the cluster.'),
      }),
      1000,
    ),
  ).describe(
    'The ids that Okra found in each cluster. The ids of a cluster that cannot be read stay. Absent for ids that are being deregistered.',
  ),
});

const status = object({
  ...syncStatus,
  targetGroupARN: optional(string().max(512)).describe('The target group, named in the spec or created.'),
  created: optional(boolean()).describe('Whether Okra created the target group for this object.'),
  targets: optional(atomicList(registered, 100)).describe(
    'The targets that Okra registered for this object. It never deregisters any others.',
  ),
  missing: missing.describe(
    'The clusters whose secrets are gone; their targets stay registered for a while.',
  ),
});

export const awsTargetGroupBinding = defineResource({
  kind: 'AWSTargetGroupBinding',
  shortNames: ['awstgb'],
  description:
    'An AWSTargetGroupBinding registers nodes and pods of one or more clusters, or given ids, in one ELBv2 target group. Okra creates the target group when the spec names none. It deregisters only targets that it registered.',
  watched: 'Optional',
  workflow: { does: 'Sync', type: 'targetGroupBinding', idPrefix: 'target-group-binding' },
  verbs: ['get', 'create', 'patch', 'delete'],
  isReported: true,
  spec,
  status,
  printerColumns: syncColumns({
    name: 'ARN',
    type: 'string',
    jsonPath: '.status.targetGroupARN',
    priority: 1,
  }),
});

export type AWSTargetGroupBindingSpec = z.output<typeof spec>;
export type AWSTargetGroupBindingStatus = z.output<typeof status>;
export type AWSTargetGroupBinding = Resource<AWSTargetGroupBindingSpec, AWSTargetGroupBindingStatus>;
