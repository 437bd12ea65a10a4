import { boolean, object, optional, string, type z } from 'zod';
import { bindingTargets } from './binding-targets.ts';
import { atomicList, deletionPolicy, integer, listOf, targetGroupARN } from './common.ts';
import { newTargetGroup, targetGroupRules } from './new-target-group.ts';
import { defineResource, type Resource } from './resource.ts';
import { withRules } from './rules.ts';
import { missing, syncStatus, syncColumns } from './sets.ts';

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
      // Only the API server knows what it was before.
      holds: () => true,
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
    listOf(
      object({
        cluster: string().max(253).describe('The name of the cluster.'),
        ids: atomicList(string().max(253), 1000).describe('The ids that Okra found in the cluster.'),
      }),
      1000,
    ),
  )
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe(
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

/** Registers nodes, pods or ids in a target group. */
export const awsTargetGroupBinding = defineResource({
  kind: 'AWSTargetGroupBinding',
  plural: 'awstargetgroupbindings',
  singular: 'awstargetgroupbinding',
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

/** What an AWSTargetGroupBinding says. */
export type AWSTargetGroupBindingSpec = z.output<typeof spec>;
/** What is reported of an AWSTargetGroupBinding. */
export type AWSTargetGroupBindingStatus = z.output<typeof status>;
/** An AWSTargetGroupBinding as the API server has it. */
export type AWSTargetGroupBinding = Resource<AWSTargetGroupBindingSpec, AWSTargetGroupBindingStatus>;
