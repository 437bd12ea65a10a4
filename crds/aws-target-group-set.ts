import { z } from 'zod';
import { bindingTargets } from './binding-targets.ts';
import { deletionPolicy, labelSelector, targetGroupARN } from './common.ts';
import { newTargetGroup, saysVPC } from './new-target-group.ts';
import { defineResource, type Resource } from './resource.ts';
import { withRules } from './rules.ts';
import {
  clusterNames,
  missing,
  syncStatus,
  templateLabels,
  templateMetadata,
  templateText,
  syncColumns,
} from './sets.ts';

const clusterSelector = withRules(labelSelector, [
  {
    cel: '(has(self.matchLabels) && size(self.matchLabels) > 0) || (has(self.matchExpressions) && size(self.matchExpressions) > 0)',
    message:
      'Expected clusterSelector to have at least one term, got none, which all clusters fulfil. Add a label.',
    holds: ({ matchLabels = {}, matchExpressions = [] }) =>
      Object.keys(matchLabels).length > 0 || matchExpressions.length > 0,
  },
]);

const awseks = z.object({
  clusterSelector: clusterSelector.describe(
    'The clusters to look into, by the labels of their Argo CD cluster secrets in this namespace.',
  ),
  bindingSelector: labelSelector
    .optional()
    .describe(
      'Which TargetGroupBindings (elbv2.k8s.aws) of a cluster are taken, by their labels. Default: all, or none with bindingTemplate.',
    ),
});

const bindingTemplate = z.object({
  metadata: z
    .object({
      name: templateText
        .min(1)
        .optional()
        .describe(
          'The name of each AWSTargetGroupBinding, for example web-{{.awseks.cluster.name}}. Default: this name, a dash, and that of the cluster.',
        ),
      labels: templateLabels
        .optional()
        .describe(
          'Labels of each AWSTargetGroupBinding. The variables {{.awseks.cluster.name}} and {{.awseks.cluster.tags.KEY}} may stand in the values.',
        ),
    })
    .optional()
    .describe('The name and labels of each AWSTargetGroupBinding.'),
  spec: withRules(
    z.object({
      targetGroupARN: targetGroupARN
        .optional()
        .describe('The target group of all clusters. Without it: one is created for each cluster.'),
      targetGroup: newTargetGroup.optional().describe('What the target groups are created with.'),
      targets: bindingTargets.describe(
        'What is registered; the variable {{.awseks.cluster.name}} may stand in clusterName.',
      ),
      deletionPolicy: deletionPolicy
        .optional()
        .describe(
          'What becomes of a target group that was created, when its binding goes: Retain (default) or Delete.',
        ),
    }),
    [
      {
        cel: 'has(self.targetGroupARN) != has(self.targetGroup)',
        message:
          'Expected exactly one of targetGroupARN and targetGroup. Name a target group, or say what to create.',
        holds: (value) => (value.targetGroupARN === undefined) !== (value.targetGroup === undefined),
      },
      saysVPC,
    ],
  ).describe('What each AWSTargetGroupBinding says.'),
});

const spec = z.object({
  generators: z
    .array(
      z.object({
        awseks: awseks.describe('Looks into clusters for TargetGroupBindings.'),
      }),
    )
    .min(1)
    .max(16)
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('Where target groups come from; what any of them finds is taken.'),
  bindingLabels: z
    .array(z.string().min(1).max(317))
    .max(64)
    .optional()
    .meta({ 'x-kubernetes-list-type': 'set' })
    .describe(
      'The labels that AWSTargetGroups take from their TargetGroupBindings, by their keys; okra.mumo.co/version and those that Cells select by may be among them. Default: all.',
    ),
  template: z
    .object({
      metadata: templateMetadata(templateLabels)
        .optional()
        .describe('Labels and annotations of the AWSTargetGroups; they win over those of the binding.'),
    })
    .optional()
    .describe('What the AWSTargetGroups look like, apart from what they take from their bindings.'),
  bindingTemplate: bindingTemplate
    .optional()
    .describe(
      'Makes an AWSTargetGroupBinding for each cluster, and an AWSTargetGroup of the same name once its target group is known.',
    ),
});

const status = z.object({
  ...syncStatus,
  clusters: clusterNames.optional().describe('The clusters that were looked into.'),
  targetGroups: z.int().min(0).optional().describe('How many AWSTargetGroups there are by this set.'),
  missing: missing.describe(
    'The secrets of clusters that are gone, or not selected any more; what the clusters have stays for a while.',
  ),
});

/** Makes AWSTargetGroups of the TargetGroupBindings in many clusters. */
export const awsTargetGroupSet = defineResource({
  kind: 'AWSTargetGroupSet',
  plural: 'awstargetgroupsets',
  singular: 'awstargetgroupset',
  shortNames: ['awstgs'],
  description:
    'An AWSTargetGroupSet looks into the clusters whose Argo CD cluster secrets it selects, and keeps an AWSTargetGroup for each TargetGroupBinding that it finds there. The target groups of a cluster that cannot be reached are kept.',
  watched: 'Optional',
  workflow: { does: 'Sync', type: 'targetGroupSet', idPrefix: 'target-group-set' },
  verbs: ['get'],
  isReported: true,
  spec,
  status,
  printerColumns: syncColumns(
    { name: 'Groups', type: 'integer', jsonPath: '.status.targetGroups' },
    { name: 'Clusters', type: 'string', jsonPath: '.status.clusters.names', priority: 1 },
  ),
});

/** What an AWSTargetGroupSet says. */
export type AWSTargetGroupSetSpec = z.output<typeof spec>;
/** What is reported of an AWSTargetGroupSet. */
export type AWSTargetGroupSetStatus = z.output<typeof status>;
/** An AWSTargetGroupSet as the API server has it. */
export type AWSTargetGroupSet = Resource<AWSTargetGroupSetSpec, AWSTargetGroupSetStatus>;
