import { z } from 'zod';
import { networkListenerARN } from '../common.ts';
import { forwardTargetGroups } from '../forward.ts';
import {
  loadBalancerColumns,
  loadBalancerStatus,
  loadBalancerTraits,
  type LoadBalancerSchemas,
} from '../load-balancer-config.ts';
import { defineResource, type Resource } from '../resource.ts';
import { withRules } from '../rules.ts';
import { networkStickiness } from '../stickiness.ts';
import { targetGroupSelector } from '../target-group-selector.ts';

const type = 'AWSNetworkLoadBalancer';

/** What a Cell says of a Network Load Balancer. */
const block = withRules(
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
      holds: ({ listener }) => listener?.rule === undefined,
    },
  ],
);

const spec = z.object({
  listenerARN: networkListenerARN.describe('The ARN of the listener.'),
  listener: z
    .object({
      forward: withRules(
        z.object({ targetGroups: forwardTargetGroups, ...networkStickiness.fields }),
        networkStickiness.rules,
      ).describe('Where the default action of the listener forwards to, and how clients are kept.'),
    })
    .describe('What the listener has to do.'),
});

const status = loadBalancerStatus({
  listenerARN: z.string().max(512).optional().describe('The listener.'),
  listener: z
    .object({
      forward: z
        .object({
          targetGroups: forwardTargetGroups,
          targetGroupStickiness: z
            .object({
              enabled: z.boolean().describe('Whether flows of a client stay with a target group.'),
              durationSeconds: z.int().optional().describe('For how long, where ELBv2 names a time.'),
            })
            .optional()
            .describe('How the listener keeps clients.'),
        })
        .describe('The default action as it was read back from ELBv2.'),
    })
    .optional()
    .describe('What ELBv2 serves.'),
});

/** The default action of a Network Load Balancer's listener, kept exactly as its spec says. */
export const awsNetworkLoadBalancerConfig = defineResource({
  kind: 'AWSNetworkLoadBalancerConfig',
  plural: 'awsnetworkloadbalancerconfigs',
  singular: 'awsnetworkloadbalancerconfig',
  shortNames: ['awsnlbc'],
  description:
    'An AWSNetworkLoadBalancerConfig describes the default action of one listener of a Network Load Balancer. Okra makes the action exactly what the spec says, keeps it so, and reports in the status what was read back. A Cell writes one of its own name.',
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
  block: block.optional().describe('The Network Load Balancer in front of the clusters.'),
  config: awsNetworkLoadBalancerConfig,
} as const satisfies LoadBalancerSchemas;

/** What an AWSNetworkLoadBalancerConfig asks for. */
export type AWSNetworkLoadBalancerConfigSpec = z.output<typeof spec>;
/** What is reported of an AWSNetworkLoadBalancerConfig. */
export type AWSNetworkLoadBalancerConfigStatus = z.output<typeof status>;
/** An AWSNetworkLoadBalancerConfig as the API server has it. */
export type AWSNetworkLoadBalancerConfig = Resource<
  AWSNetworkLoadBalancerConfigSpec,
  AWSNetworkLoadBalancerConfigStatus
>;
