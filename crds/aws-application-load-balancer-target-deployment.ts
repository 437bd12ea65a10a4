import { z } from 'zod';
import { defineResource, type Resource } from './resource.ts';

const spec = z.object({});

const targetGroup = z.object({
  name: z.string().max(253).describe('The name of the AWSTargetGroup.'),
  arn: z.string().max(512).describe('The ARN of the target group.'),
  version: z.string().max(256).optional().describe('The version that its AWSTargetGroup claims.'),
  weight: z.int().min(0).max(999).describe('Its weight in the listener rule.'),
});

const status = z.object({
  listenerARN: z.string().max(512).optional().describe('The listener that has the rule.'),
  ruleARN: z.string().max(512).optional().describe('The ARN of the rule.'),
  priority: z.int().min(1).max(50_000).optional().describe('The priority of the rule.'),
  version: z.string().max(256).optional().describe('The version that carries most of the weight.'),
  weights: z.string().max(2048).optional().describe('The weights, for people: a1: 50, a2: 50.'),
  targetGroups: z
    .array(targetGroup)
    .max(5)
    .optional()
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('The target groups that the rule forwards to, as read back from ELBv2.'),
  lastSyncTime: z.iso.datetime().optional().describe('When this status was written.'),
});

/** What a listener rule of an Application Load Balancer routes to now; a view that nobody edits. */
export const awsApplicationLoadBalancerTargetDeployment = defineResource({
  kind: 'AWSApplicationLoadBalancerTargetDeployment',
  plural: 'awsapplicationloadbalancertargetdeployments',
  singular: 'awsapplicationloadbalancertargetdeployment',
  shortNames: ['awsalbtd'],
  description:
    'An AWSApplicationLoadBalancerTargetDeployment shows which target groups, of which versions, a listener rule of an Application Load Balancer routes to now. Okra makes one for each AWSApplicationLoadBalancerConfig, of its name, and keeps its status current. There is nothing to edit in it: its spec is empty, and what is written into its status is overwritten.',
  verbs: ['create', 'patch'],
  isReported: true,
  spec,
  status,
  printerColumns: [
    { name: 'Version', type: 'string', jsonPath: '.status.version' },
    { name: 'Weights', type: 'string', jsonPath: '.status.weights' },
    { name: 'Priority', type: 'integer', jsonPath: '.status.priority' },
    { name: 'Synced', type: 'date', jsonPath: '.status.lastSyncTime' },
    { name: 'Listener', type: 'string', jsonPath: '.status.listenerARN', priority: 1 },
  ],
});

/** What is reported of an AWSApplicationLoadBalancerTargetDeployment. */
export type AWSApplicationLoadBalancerTargetDeploymentStatus = z.output<typeof status>;
/** An AWSApplicationLoadBalancerTargetDeployment as the API server has it. */
export type AWSApplicationLoadBalancerTargetDeployment = Resource<
  z.output<typeof spec>,
  AWSApplicationLoadBalancerTargetDeploymentStatus
>;
