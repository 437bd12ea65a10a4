import { boolean, object, optional, string, z } from 'zod';
import { networkListenerARN, targetGroupSelector } from '../common.ts';
import { forwardTargetGroups } from '../listener-rule.ts';
import {
  loadBalancerColumns,
  loadBalancerStatus,
  loadBalancerTraits,
  type LoadBalancerSchemas,
} from '../load-balancer-config.ts';
import { defineResource, type Resource } from '../resource.ts';
import { withRules } from '../rules.ts';
import { networkStickiness } from '../stickiness.ts';

const type = 'AWSNetworkLoadBalancer';

const block = withRules(
  object({
    listenerARN: networkListenerARN.describe(
      'The ARN of an existing listener. Okra sets the target groups of its default action.',
    ),
    listener: optional(
      object({
        forward: optional(withRules(object(networkStickiness.fields), networkStickiness.rules)).describe(
          'The stickiness; the rollout sets the target groups and their weights.',
        ),
        rule: optional(object({})).describe('Refused: the default action has the weights, for all flows.'),
      }),
    ).describe('The stickiness of the default action of the listener.'),
    targetGroupSelector,
  }),
  [
    {
      cel: '!has(self.listener) || !has(self.listener.rule)',
      message:
        "spec.ingress.awsNetworkLoadBalancer.listener.rule is not supported, because a Cell sets the weights of the listener's default action. Remove it.",
    },
  ],
);

const spec = object({
  listenerARN: networkListenerARN.describe('The ARN of the listener.'),
  listener: object({
    forward: withRules(
      object({ targetGroups: forwardTargetGroups, ...networkStickiness.fields }),
      networkStickiness.rules,
    ).describe('Where the default action of the listener forwards to, and the stickiness.'),
  }).describe('The desired default action of the listener.'),
});

const status = loadBalancerStatus({
  listenerARN: optional(string().max(512)).describe('The listener.'),
  listener: optional(
    object({
      forward: object({
        targetGroups: forwardTargetGroups,
        targetGroupStickiness: optional(
          object({
            enabled: boolean().describe('Whether the flows of a client stay on a target group.'),
            durationSeconds: optional(z.int()).describe('How long, if ELBv2 reports a time.'),
          }),
        ).describe('The stickiness of the listener.'),
      }).describe('The default action as read back from ELBv2.'),
    }),
  ).describe('What ELBv2 serves.'),
});

export const awsNetworkLoadBalancerConfig = defineResource({
  kind: 'AWSNetworkLoadBalancerConfig',
  shortNames: ['awsnlbc'],
  description:
    'An AWSNetworkLoadBalancerConfig describes the default action of one listener of a Network Load Balancer. Okra keeps the action exactly as in the spec, and reports in the status what it read back. A Cell writes one with its own name.',
  ...loadBalancerTraits(type, 'network-load-balancer'),
  spec,
  status,
  selectableFields: ['.spec.listenerARN'],
  printerColumns: loadBalancerColumns(),
});

/** What a Cell says of a Network Load Balancer, and the kind that configures one. */
export const networkLoadBalancer = {
  type,
  blockNames: ['awsNetworkLoadBalancer', 'awsApplicationLoadBalancer'],
  block: optional(block).describe('The Network Load Balancer in front of the clusters.'),
  config: awsNetworkLoadBalancerConfig,
} as const satisfies LoadBalancerSchemas;

export type AWSNetworkLoadBalancerConfigSpec = z.output<typeof spec>;
export type AWSNetworkLoadBalancerConfigStatus = z.output<typeof status>;
export type AWSNetworkLoadBalancerConfig = Resource<
  AWSNetworkLoadBalancerConfigSpec,
  AWSNetworkLoadBalancerConfigStatus
>;
