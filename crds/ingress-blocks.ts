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

/** What a Cell says of an Application Load Balancer. */
export const applicationLoadBalancer = z.object({
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

/** What a Cell says of a Network Load Balancer. */
export const networkLoadBalancer = withRules(
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
