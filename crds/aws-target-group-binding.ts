import { z } from 'zod';
import { bindingTargets } from './binding-targets.ts';
import { deletionPolicy, targetGroupARN } from './common.ts';
import { newTargetGroup, saysVPC } from './new-target-group.ts';
import { defineResource, type Resource } from './resource.ts';
import { withRules } from './rules.ts';
import { missing, syncStatus, syncColumns } from './sets.ts';

const spec = withRules(
  z.object({
    targetGroupARN: targetGroupARN
      .optional()
      .describe('The target group to register targets in. Without it, targetGroup says what to create.'),
    targetGroup: newTargetGroup
      .optional()
      .describe('The target group to create. Its tag okra.mumo.co/owner names this object.'),
    targets: bindingTargets.describe('What is registered. Targets that others have registered stay.'),
    deletionPolicy: deletionPolicy
      .optional()
      .describe(
        'What becomes of a target group that was created, when this object is deleted: Retain (default) or Delete. Targets that it registered are deregistered in any case.',
      ),
  }),
  [
    {
      cel: 'has(self.targetGroupARN) != has(self.targetGroup)',
      message:
        'Expected exactly one of spec.targetGroupARN and spec.targetGroup. Name a target group, or say what to create.',
      holds: (value) => (value.targetGroupARN === undefined) !== (value.targetGroup === undefined),
    },
    saysVPC,
  ],
);

const registered = z.object({
  name: z.string().max(63).describe('The name of the targets in the spec.'),
  port: z.int().min(1).max(65_535).describe('The port that they are registered with.'),
  ids: z
    .array(z.string().max(253))
    .max(1000)
    .optional()
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('The instance ids or IP addresses that this object has registered.'),
  clusters: z
    .array(z.string().max(253))
    .max(1000)
    .optional()
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('The clusters that were looked into, when they were selected by labels.'),
  byCluster: z
    .array(
      z.object({
        cluster: z.string().max(253).describe('The name of the cluster.'),
        id: z
          .string()
          .max(512)
          .optional()
          .describe('What no other cluster of that name has; absent where its secret does not say it.'),
        ids: z
          .array(z.string().max(253))
          .max(1000)
          .meta({ 'x-kubernetes-list-type': 'atomic' })
          .describe('The ids that were found in it.'),
      }),
    )
    .max(1000)
    .optional()
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe(
      'Which ids were found in which cluster; those of one that cannot be read stay. None with ids that are leaving.',
    ),
});

const status = z.object({
  ...syncStatus,
  targetGroupARN: z.string().max(512).optional().describe('The target group, named or created.'),
  created: z.boolean().optional().describe('Whether this object has created the target group.'),
  targets: z
    .array(registered)
    .max(100)
    .optional()
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('What this object has registered; nothing else is ever deregistered by it.'),
  missing: missing.describe(
    'The clusters whose secrets are gone; what is registered of them stays for a while.',
  ),
  former: z
    .array(
      z.object({
        targetGroupARN: z.string().max(512).describe('The target group.'),
        created: z.boolean().optional().describe('Whether this object has created it.'),
        targets: z
          .array(registered)
          .max(100)
          .meta({ 'x-kubernetes-list-type': 'atomic' })
          .describe('What is still registered in it.'),
      }),
    )
    .max(20)
    .optional()
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('The target groups that it moves from; they are emptied when the new one is filled.'),
});

/** Registers nodes, pods or ids in a target group. */
export const awsTargetGroupBinding = defineResource({
  kind: 'AWSTargetGroupBinding',
  plural: 'awstargetgroupbindings',
  singular: 'awstargetgroupbinding',
  shortNames: ['awstgb'],
  description:
    'An AWSTargetGroupBinding registers nodes and pods of one or many clusters, or given ids, in one ELBv2 target group, which it creates when none is named. It deregisters only what it has registered.',
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
