import { object, optional, type z } from 'zod';
import { atomicList, conditions, nonEmpty } from './common.ts';
import { defineResource, type Resource } from './resource.ts';
import { withRules } from './rules.ts';

const MOST_PATTERNS = 100;

// The API server refuses a rule over long texts in long lists as too expensive, therefore there is none on each pattern.
const patterns = (longest: number) => optional(atomicList(nonEmpty(longest), MOST_PATTERNS));

const role = object({
  arn: nonEmpty(600).describe(
    'The ARN of an IAM role, or a pattern of ARNs: arn:aws:iam::111122223333:role/team-a/*.',
  ),
  externalIDs: patterns(1224).describe(
    'The external ids with which Okra may assume the role, or patterns of them. Default: Okra may assume it only without an external id.',
  ),
});

const spec = object({
  namespaces: withRules(atomicList(nonEmpty(63), MOST_PATTERNS, 1), [
    {
      cel: "self.all(one, one.matches('^[a-z0-9*-]+$'))",
      message:
        'Each of spec.namespaces must be the name of a namespace, or a pattern such as team-a-*. Correct it.',
    },
  ]).describe('The namespaces that the policy applies to, or patterns of them; * matches any characters.'),
  roles: optional(atomicList(role, MOST_PATTERNS)).describe(
    'The IAM roles that Okra assumes for objects of these namespaces. Default: none.',
  ),
  clusters: patterns(600).describe(
    'The EKS clusters that Okra lists and logs in to for these namespaces: ARNs or patterns of ARNs. Default: none.',
  ),
  servers: patterns(300).describe(
    'The hosts to which Okra sends the token of a command (execProviderConfig), or patterns of them. For a cluster secret by which Okra reads its own cluster as itself: kubernetes.default.svc. Default: none.',
  ),
  targetGroups: patterns(512).describe(
    'The target groups that these namespaces may forward to, register targets in and read: ARNs or patterns of ARNs. Default: none.',
  ),
  listeners: patterns(512).describe(
    'The listeners whose rules or default action these namespaces may write: ARNs or patterns of ARNs. Default: none.',
  ),
  metrics: patterns(600).describe(
    'The metric providers that Checks of these namespaces may query: datadog/SITE with the keys of okrad, cloudwatch/REGION as okrad itself, prometheus/HOST, or patterns of them. A Check with its own keys or role needs no entry; prometheus/HOST always does. Default: none.',
  ),
  images: patterns(512).describe(
    'The images that Jobs of Cells in these namespaces may run, as the Cells write them, or patterns of them. Default: none.',
  ),
});

const status = object({ conditions: optional(conditions) });

export const accessPolicy = defineResource({
  kind: 'AccessPolicy',
  shortNames: ['okaccess'],
  description:
    'An AccessPolicy lists the IAM roles, EKS clusters, target groups, listeners and images that Okra may use for the objects of some namespaces. For a namespace that no AccessPolicy names, Okra may use everything that it has access to; otherwise only what at least one of these policies lists.',
  scope: 'Cluster',
  watched: 'Optional',
  spec,
  status,
  printerColumns: [
    { name: 'Namespaces', type: 'string', jsonPath: '.spec.namespaces' },
    { name: 'Listeners', type: 'string', jsonPath: '.spec.listeners' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Roles', type: 'string', jsonPath: '.spec.roles[*].arn', priority: 1 },
    { name: 'Clusters', type: 'string', jsonPath: '.spec.clusters', priority: 1 },
    { name: 'Groups', type: 'string', jsonPath: '.spec.targetGroups', priority: 1 },
  ],
});

export type AccessPolicySpec = z.output<typeof spec>;
export type AccessPolicy = Resource<AccessPolicySpec, z.output<typeof status>>;
