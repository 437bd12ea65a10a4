import { object, optional, record, string, type z } from 'zod';
import { atomicList, integer, labelSelector, listOf, nonEmpty, withKeys } from './common.ts';
import { withRules } from './rules.ts';
import { templateName } from './sets.ts';

const labels = withKeys(record(string(), string().max(1024)), {
  field: 'nodeSelector',
  shortest: 1,
  longest: 317,
  most: 64,
});

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

/** The pods, nodes or ids that are registered under one name and port. */
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
      holds: ({ ids, nodeName, nodeSelector: nodes, podSelector }) =>
        [ids, nodeName, nodes, podSelector].filter((one) => one !== undefined).length === 1,
    },
    {
      cel: '(has(self.clusterName) ? 1 : 0) + (has(self.clusterSelector) ? 1 : 0) == (has(self.ids) ? 0 : 1)',
      message:
        'nodeName, nodeSelector and podSelector need exactly one of clusterName and clusterSelector; ids need neither. Correct the target.',
      holds: ({ ids, clusterName, clusterSelector }) =>
        [clusterName, clusterSelector].filter((one) => one !== undefined).length ===
        (ids === undefined ? 1 : 0),
    },
    {
      cel: '!has(self.podNamespace) || has(self.podSelector)',
      message: 'podNamespace is only allowed with podSelector. Remove it.',
      holds: ({ podNamespace, podSelector }) => podNamespace === undefined || podSelector !== undefined,
    },
  ],
);

/** All targets of a binding, each with a name of its own. */
export const bindingTargets = listOf(bindingTarget, 20, 1)
  // The API server says so of a map by itself.
  .refine((targets) => new Set(targets.map(({ name }) => name)).size === targets.length, {
    message: 'Names of targets must be unique. Rename one.',
  })
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] });

/** What is registered under one name and port. */
export type BindingTarget = z.output<typeof bindingTarget>;
