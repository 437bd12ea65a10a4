import { object, optional, type z } from 'zod';
import { bindingTargets, newTargetGroup, targetGroupRules } from './aws-target-group-binding.ts';
import {
  atomicList,
  deletionPolicy,
  integer,
  labelSelector,
  listOf,
  nonEmpty,
  requireTerms,
  targetGroupARN,
} from './common.ts';
import { defineResource, type Resource } from './resource.ts';
import { withRules } from './rules.ts';
import {
  syncStatus,
  clusterNames,
  missing,
  syncColumns,
  templateLabels,
  templateMetadata,
  templateName,
} from './sets.ts';

const clusterSelector = withRules(labelSelector, [
  requireTerms('clusterSelector must not be empty: it would select all clusters. Add a label.'),
]);

const awseks = object({
  clusterSelector: clusterSelector.describe(
    'The clusters to look into, by the labels of their Argo CD cluster secrets in this namespace.',
  ),
  bindingSelector: optional(labelSelector).describe(
    'Which TargetGroupBindings (elbv2.k8s.aws) of a cluster to use, by their labels. Default: all, or none with bindingTemplate.',
  ),
});

const bindingTemplate = object({
  metadata: optional(
    object({
      name: optional(templateName).describe(
        'The name of each AWSTargetGroupBinding, for example web-{{.awseks.cluster.name}}. Default: the name of this set, a dash and the name of the Secret of the cluster.',
      ),
      labels: optional(templateLabels).describe(
        'Labels of each AWSTargetGroupBinding. The values can use the variables {{.awseks.cluster.name}} and {{.awseks.cluster.tags.KEY}}.',
      ),
    }),
  ).describe('The name and labels of each AWSTargetGroupBinding.'),
  spec: withRules(
    object({
      targetGroupARN: optional(targetGroupARN).describe(
        'One target group for all clusters. Without it, Okra creates one for each cluster.',
      ),
      targetGroup: optional(newTargetGroup).describe(
        'The target groups that Okra creates. Every field has a default, so it can be left out.',
      ),
      targets: bindingTargets.describe(
        'The targets to register; clusterName can use the variable {{.awseks.cluster.name}}.',
      ),
      deletionPolicy: optional(deletionPolicy).describe(
        'What happens to a target group that Okra created when its binding is deleted: Retain (default) or Delete.',
      ),
    }),
    targetGroupRules,
  ).describe('The spec of each AWSTargetGroupBinding.'),
});

const spec = object({
  generators: atomicList(
    object({
      awseks: awseks.describe('Looks into clusters for TargetGroupBindings.'),
    }),
    16,
    1,
  ).describe('Where to find target groups. The set has everything that any of the generators finds.'),
  bindingLabels: optional(listOf(nonEmpty(317), 64))
    .meta({ 'x-kubernetes-list-type': 'set' })
    .describe(
      'The keys of the labels that AWSTargetGroups copy from their TargetGroupBindings; okra.mumo.co/version and labels that Cells select by may be among them. Default: all.',
    ),
  template: optional(
    object({
      metadata: optional(templateMetadata(templateLabels)).describe(
        'Labels and annotations of the AWSTargetGroups; they override those of the binding.',
      ),
    }),
  ).describe('The metadata of the AWSTargetGroups, besides what they copy from their bindings.'),
  bindingTemplate: optional(bindingTemplate).describe(
    'Creates an AWSTargetGroupBinding for each cluster, and an AWSTargetGroup of the same name once its target group is known.',
  ),
});

const status = object({
  ...syncStatus,
  clusters: optional(clusterNames).describe('The clusters that Okra has read.'),
  targetGroups: optional(integer(0)).describe('How many AWSTargetGroups this set has.'),
  missing: missing.describe(
    'Cluster secrets that are gone or no longer selected. The AWSTargetGroups of these clusters stay for a while.',
  ),
});

export const awsTargetGroupSet = defineResource({
  kind: 'AWSTargetGroupSet',
  shortNames: ['awstgs'],
  description:
    'An AWSTargetGroupSet looks into the clusters whose Argo CD cluster secrets it selects, and keeps an AWSTargetGroup for each TargetGroupBinding that it finds there. It keeps the AWSTargetGroups of a cluster that it cannot reach.',
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

export type AWSTargetGroupSetSpec = z.output<typeof spec>;
export type AWSTargetGroupSetStatus = z.output<typeof status>;
export type AWSTargetGroupSet = Resource<AWSTargetGroupSetSpec, AWSTargetGroupSetStatus>;
