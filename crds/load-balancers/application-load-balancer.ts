import { z } from 'zod';
import { carried } from '../carried.ts';
import { applicationListenerARN, deletionPolicy, listenerARN } from '../common.ts';
import { cellListenerRule, listenerRule } from '../listener-rule.ts';
import {
  loadBalancerColumns,
  loadBalancerStatus,
  loadBalancerTraits,
  type LoadBalancerSchemas,
} from '../load-balancer-config.ts';
import { defineResource, type Resource } from '../resource.ts';
import { targetGroupSelector } from '../target-group-selector.ts';

const type = 'AWSApplicationLoadBalancer';

/** What a Cell says of an Application Load Balancer. */
const block = z.object({
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

const spec = z.object({
  listenerARN: applicationListenerARN.describe('The ARN of the listener that has the rule.'),
  listener: z
    .object({
      rule: listenerRule.describe(
        'The listener rule: its priority, its conditions, and the weights of its target groups.',
      ),
    })
    .describe('What the listener has to have.'),
  deletionPolicy: deletionPolicy
    .optional()
    .describe(
      'What becomes of the rule when this object is deleted: Retain leaves it serving, Delete deletes it, if it is tagged with this object as its owner. Default: Retain.',
    ),
});

const status = loadBalancerStatus({
  listenerARN: z.string().max(512).optional().describe('The listener that has the rule.'),
  ruleARN: z.string().max(512).optional().describe('The ARN of the rule.'),
  listener: z
    .object({ rule: listenerRule.describe('The rule as it was read back from ELBv2.') })
    .optional()
    .describe('What ELBv2 serves.'),
  carried: carried
    .optional()
    .describe(
      'What the rule does besides matching and forwarding, as it was read from ELBv2: authentication, rewriting. No spec says it; Okra carries it along with each write.',
    ),
});

/** A rule of an Application Load Balancer's listener, kept exactly as its spec says. */
export const awsApplicationLoadBalancerConfig = defineResource({
  kind: 'AWSApplicationLoadBalancerConfig',
  plural: 'awsapplicationloadbalancerconfigs',
  singular: 'awsapplicationloadbalancerconfig',
  shortNames: ['awsalbc'],
  description:
    'An AWSApplicationLoadBalancerConfig describes one listener rule of an Application Load Balancer. Okra makes the rule exactly what the spec says, keeps it so, and reports in the status what was read back. A Cell writes one of its own name.',
  ...loadBalancerTraits(type, 'load-balancer'),
  spec,
  status,
  selectableFields: ['.spec.listenerARN'],
  printerColumns: loadBalancerColumns({
    name: 'Priority',
    type: 'integer',
    jsonPath: '.spec.listener.rule.priority',
  }),
});

/** What a Cell says of an Application Load Balancer, and the kind that configures one. */
export const applicationLoadBalancer = {
  type,
  blockNames: ['awsApplicationLoadBalancer'],
  block: block
    .optional()
    .describe(
      'The Application Load Balancer in front of the clusters. Under the type AWSNetworkLoadBalancer this name is taken as well, without its listener block.',
    ),
  config: awsApplicationLoadBalancerConfig,
} as const satisfies LoadBalancerSchemas;

/** What an AWSApplicationLoadBalancerConfig asks for. */
export type AWSApplicationLoadBalancerConfigSpec = z.output<typeof spec>;
/** What is reported of an AWSApplicationLoadBalancerConfig. */
export type AWSApplicationLoadBalancerConfigStatus = z.output<typeof status>;
/** An AWSApplicationLoadBalancerConfig as the API server has it. */
export type AWSApplicationLoadBalancerConfig = Resource<
  AWSApplicationLoadBalancerConfigSpec,
  AWSApplicationLoadBalancerConfigStatus
>;
