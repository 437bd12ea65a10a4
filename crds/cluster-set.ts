import { enum as choice, object, optional, string, type z } from 'zod';
import { atomicList, mapOf } from './common.ts';
import { defineResource, type Resource } from './resource.ts';
import { requireEither, requireWith, withRules } from './rules.ts';
import {
  syncStatus,
  clusterNames,
  externalID,
  missing,
  region,
  roleARN,
  syncColumns,
  templateLabels,
  templateMetadata,
} from './sets.ts';

const matchTags = withRules(mapOf('matchTags', string().max(256), { longest: 128, most: 50 }), [
  {
    cel: 'size(self) > 0',
    message: 'matchTags must not be empty: it would select all clusters. Add a tag.',
  },
]);

const tagSelector = object({
  matchTags: matchTags.describe('Tags that an EKS cluster must have, with exactly these values.'),
});

const awseks = withRules(
  object({
    selector: optional(tagSelector).describe('Which EKS clusters to use.'),
    clusterSelector: optional(tagSelector).describe('An older spelling of selector.'),
    region: optional(region).describe(
      'The region that the clusters are in, for example eu-central-1. Default: that of Okra.',
    ),
    roleARN: optional(roleARN).describe(
      'The IAM role to assume for the clusters of another account. Default: that of Okra.',
    ),
    externalID: optional(externalID).describe('The external id that the role requires.'),
  }),
  [
    requireEither(
      'selector',
      'clusterSelector',
      'Exactly one of awseks.selector and awseks.clusterSelector must be set. Write selector.',
    ),
    requireWith(
      'externalID',
      ['roleARN'],
      'awseks.externalID needs awseks.roleARN. Add the role, or remove the ID.',
    ),
  ],
);

const secretLabels = withRules(templateLabels, [
  {
    cel: "!('argocd.argoproj.io/secret-type' in self)",
    message:
      'labels must not contain argocd.argoproj.io/secret-type, which every cluster secret has anyway. Remove it.',
  },
]);

const spec = object({
  generators: atomicList(
    object({ awseks: awseks.describe('Finds ACTIVE EKS clusters by their tags.') }),
    32,
    1,
  ).describe('Where to find clusters. The set has every cluster that any of the generators finds.'),
  template: optional(
    object({
      metadata: optional(templateMetadata(secretLabels)).describe('Labels and annotations of the secrets.'),
      server: optional(choice(['Endpoint', 'ARN'])).describe(
        'How the secrets name their clusters: Endpoint is the address of the API server, with a login; ARN is the ARN of the EKS cluster, as the EKS capability for Argo CD takes it. Default: Endpoint.',
      ),
    }),
  ).describe('What the Argo CD cluster secrets say, besides what Okra sets.'),
});

const status = object({
  ...syncStatus,
  clusters: optional(clusterNames).describe('The clusters that Okra found, and that have a secret.'),
  missing: missing.describe(
    'The secrets of clusters that no generator finds any more. They stay for a while.',
  ),
});

export const clusterSet = defineResource({
  kind: 'ClusterSet',
  shortNames: ['okcs'],
  description:
    'A ClusterSet finds EKS clusters by their tags, and keeps an Argo CD cluster secret for each in its namespace, named after the cluster. It leaves other secrets alone, and deletes nothing when it cannot read AWS.',
  watched: 'Optional',
  workflow: { does: 'Sync', type: 'clusterSet', idPrefix: 'cluster-set' },
  verbs: ['get'],
  isReported: true,
  spec,
  status,
  printerColumns: syncColumns({ name: 'Clusters', type: 'string', jsonPath: '.status.clusters.names' }),
});

export type ClusterSetSpec = z.output<typeof spec>;
export type Generator = ClusterSetSpec['generators'][number];
export type ClusterSetStatus = z.output<typeof status>;
export type ClusterSet = Resource<ClusterSetSpec, ClusterSetStatus>;
