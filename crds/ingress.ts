import { z } from 'zod';
import { labelSelector, listenerARN, networkListenerARN } from './common.ts';
import { cellListenerRule } from './listener-rule.ts';
import { withRules } from './rules.ts';
import { networkStickiness } from './stickiness.ts';

const targetGroupSelector = withRules(
  labelSelector.extend({
    versionLabels: z
      .array(z.string().min(1).max(317))
      .min(1)
      .max(8)
      .optional()
      .describe(
        'Labels of an AWSTargetGroup that may hold its version; the first that is not empty counts. Default: okra.mumo.co/version.',
      ),
  }),
  [
    {
      cel: '(has(self.matchLabels) && size(self.matchLabels) > 0) || (has(self.matchExpressions) && size(self.matchExpressions) > 0)',
      message:
        'Expected targetGroupSelector to have matchLabels or matchExpressions; an empty selector would select every AWSTargetGroup. Add a label.',
      holds: ({ matchLabels = {}, matchExpressions = [] }) =>
        Object.keys(matchLabels).length > 0 || matchExpressions.length > 0,
    },
  ],
).describe('Which AWSTargetGroups of the namespace belong to the Cell.');

const applicationLoadBalancer = z.object({
  listenerARN: listenerARN.describe(
    'The ARN of the listener. The load balancer and the listener are yours. Under the type AWSNetworkLoadBalancer it is that of a Network Load Balancer.',
  ),
  listener: z
    .object({
      rule: cellListenerRule.describe('The listener rule that Okra creates and shifts traffic with.'),
    })
    .optional()
    .describe(
      'What Okra makes of the listener: one rule. Needed under the type AWSApplicationLoadBalancer, refused under AWSNetworkLoadBalancer.',
    ),
  targetGroupSelector,
});

const networkLoadBalancer = withRules(
  z.object({
    listenerARN: networkListenerARN.describe(
      'The ARN of the listener. The load balancer and the listener are yours; Okra sets the target groups of its default action.',
    ),
    listener: z
      .object({
        forward: withRules(z.object(networkStickiness.fields), networkStickiness.rules)
          .optional()
          .describe('How clients are kept; the rollout sets the target groups and their weights.'),
        rule: z
          .object({})
          .optional()
          .describe('Refused: the weights are those of the default action, and hold for all flows.'),
      })
      .optional()
      .describe('How the default action of the listener keeps clients.'),
    targetGroupSelector,
  }),
  [
    {
      cel: '!has(self.listener) || !has(self.listener.rule)',
      message:
        "Expected no listener.rule in spec.ingress.awsNetworkLoadBalancer, because a Cell weighs the default action of a Network Load Balancer's listener. Remove it.",
      holds: (block) => block.listener?.rule === undefined,
    },
  ],
);

const APPLICATION = 'AWSApplicationLoadBalancer';
const NETWORK = 'AWSNetworkLoadBalancer';
const isOf = (kind: 'app' | 'net', arn: string): boolean => arn.includes(`:listener/${kind}/`);

/** The load balancer in front of a Cell: its type, and the one block that belongs to it. */
export const ingress = withRules(
  z.object({
    type: z
      .string()
      .max(64)
      .describe('The kind of load balancer: AWSApplicationLoadBalancer or AWSNetworkLoadBalancer.'),
    awsApplicationLoadBalancer: applicationLoadBalancer
      .optional()
      .describe(
        'The Application Load Balancer in front of the clusters. Under the type AWSNetworkLoadBalancer this name is taken as well, without its listener block.',
      ),
    awsNetworkLoadBalancer: networkLoadBalancer
      .optional()
      .describe('The Network Load Balancer in front of the clusters.'),
  }),
  [
    {
      cel: `self.type in ['${APPLICATION}', '${NETWORK}']`,
      message: `Expected spec.ingress.type to be ${APPLICATION} or ${NETWORK}. Correct the type.`,
      messageExpression: `'Expected spec.ingress.type to be ${APPLICATION} or ${NETWORK}, got ' + self.type + '. Correct the type.'`,
      holds: ({ type }) => type === APPLICATION || type === NETWORK,
    },
    {
      cel: '!(has(self.awsApplicationLoadBalancer) && has(self.awsNetworkLoadBalancer))',
      message:
        'Expected one of awsApplicationLoadBalancer and awsNetworkLoadBalancer in spec.ingress, got both. Remove the one that spec.ingress.type does not name.',
      holds: (value) =>
        value.awsApplicationLoadBalancer === undefined || value.awsNetworkLoadBalancer === undefined,
    },
    {
      cel: `self.type != '${APPLICATION}' || has(self.awsApplicationLoadBalancer)`,
      message: `Expected spec.ingress.awsApplicationLoadBalancer, because spec.ingress.type is ${APPLICATION}. Add the block.`,
      holds: (value) => value.type !== APPLICATION || value.awsApplicationLoadBalancer !== undefined,
    },
    {
      cel: `self.type != '${NETWORK}' || has(self.awsNetworkLoadBalancer) || has(self.awsApplicationLoadBalancer)`,
      message: `Expected spec.ingress.awsNetworkLoadBalancer, because spec.ingress.type is ${NETWORK}. Add the block.`,
      holds: (value) =>
        value.type !== NETWORK ||
        value.awsNetworkLoadBalancer !== undefined ||
        value.awsApplicationLoadBalancer !== undefined,
    },
    {
      cel: `self.type != '${APPLICATION}' || !has(self.awsApplicationLoadBalancer) || self.awsApplicationLoadBalancer.listenerARN.contains(':listener/app/')`,
      message: `Expected spec.ingress.awsApplicationLoadBalancer.listenerARN to be that of a listener of an Application Load Balancer (listener/app/…), got one of a Network Load Balancer. Correct the ARN, or set spec.ingress.type to ${NETWORK}.`,
      holds: ({ type, awsApplicationLoadBalancer: block }) =>
        type !== APPLICATION || block === undefined || isOf('app', block.listenerARN),
    },
    {
      cel: `self.type != '${APPLICATION}' || !has(self.awsApplicationLoadBalancer) || has(self.awsApplicationLoadBalancer.listener)`,
      message: `Expected spec.ingress.awsApplicationLoadBalancer.listener.rule, because spec.ingress.type is ${APPLICATION}. Add the rule, with a priority and a condition.`,
      holds: ({ type, awsApplicationLoadBalancer: block }) =>
        type !== APPLICATION || block === undefined || block.listener !== undefined,
    },
    {
      cel: `self.type != '${NETWORK}' || !has(self.awsApplicationLoadBalancer) || self.awsApplicationLoadBalancer.listenerARN.contains(':listener/net/')`,
      message: `Expected the listenerARN in spec.ingress to be that of a listener of a Network Load Balancer (listener/net/…), because spec.ingress.type is ${NETWORK}, got one of an Application Load Balancer. Correct the ARN, or set spec.ingress.type to ${APPLICATION}.`,
      holds: ({ type, awsApplicationLoadBalancer: block }) =>
        type !== NETWORK || block === undefined || isOf('net', block.listenerARN),
    },
    {
      cel: `self.type != '${NETWORK}' || !has(self.awsApplicationLoadBalancer) || !has(self.awsApplicationLoadBalancer.listener)`,
      message: `Expected no listener block in spec.ingress, because spec.ingress.type is ${NETWORK} and the weights are those of the default action. Remove it; awsNetworkLoadBalancer takes listener.forward.`,
      holds: ({ type, awsApplicationLoadBalancer: block }) =>
        type !== NETWORK || block?.listener === undefined,
    },
  ],
);
