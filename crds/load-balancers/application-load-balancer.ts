import { object, optional, string, type z } from 'zod';
import { carried, cellListenerRule, listenerRule } from '../listener-rule.ts';
import { applicationListenerARN, deletionPolicy, listenerARN, targetGroupSelector } from '../common.ts';
import {
  loadBalancerColumns,
  loadBalancerStatus,
  loadBalancerTraits,
  type LoadBalancerSchemas,
} from '../load-balancer-config.ts';
import { defineResource, type Resource } from '../resource.ts';

const type = 'AWSApplicationLoadBalancer';

const block = object({
  listenerARN: listenerARN.describe(
    'The ARN of an existing listener. With the type AWSNetworkLoadBalancer, that of a Network Load Balancer.',
  ),
  listener: optional(
    object({
      rule: cellListenerRule.describe('The listener rule that Okra creates, and uses to shift traffic.'),
    }),
  ).describe(
    'The rule that Okra creates on the listener. Required with the type AWSApplicationLoadBalancer, refused with AWSNetworkLoadBalancer.',
  ),
  targetGroupSelector,
});

const spec = object({
  listenerARN: applicationListenerARN.describe('The ARN of the listener that has the rule.'),
  listener: object({
    rule: listenerRule.describe(
      'The listener rule: its priority, its conditions, and the weights of its target groups.',
    ),
  }).describe('The desired rule of the listener.'),
  deletionPolicy: optional(deletionPolicy).describe(
    'What happens to the rule when this object is deleted: Retain leaves it serving, Delete deletes it if its tag names this object as the owner. Default: Retain.',
  ),
});

const status = loadBalancerStatus({
  listenerARN: optional(string().max(512)).describe('The listener that has the rule.'),
  ruleARN: optional(string().max(512)).describe('The ARN of the rule.'),
  listener: optional(object({ rule: listenerRule.describe('The rule as read back from ELBv2.') })).describe(
    'What ELBv2 serves.',
  ),
  carried: optional(carried).describe(
    'What the rule does besides matching and forwarding, as read from ELBv2: authentication, rewriting. It is not in any spec; Okra keeps it in each write.',
  ),
});

export const awsApplicationLoadBalancerConfig = defineResource({
  kind: 'AWSApplicationLoadBalancerConfig',
  shortNames: ['awsalbc'],
  description:
    'An AWSApplicationLoadBalancerConfig describes one listener rule of an Application Load Balancer. Okra keeps the rule exactly as in the spec, and reports in the status what it read back. A Cell writes one with its own name.',
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
  block: optional(block).describe(
    'The Application Load Balancer in front of the clusters. The type AWSNetworkLoadBalancer accepts this field too, without its listener block.',
  ),
  config: awsApplicationLoadBalancerConfig,
} as const satisfies LoadBalancerSchemas;

export type AWSApplicationLoadBalancerConfigSpec = z.output<typeof spec>;
export type AWSApplicationLoadBalancerConfig = Resource<
  AWSApplicationLoadBalancerConfigSpec,
  z.output<typeof status>
>;
