import { object, optional, string, type z } from 'zod';
import { atomicList, integer, timestamp } from './common.ts';
import { defineResource, type Resource } from './resource.ts';

const spec = object({});

const targetGroup = object({
  name: string().max(253).describe('The name of the AWSTargetGroup.'),
  arn: string().max(512).describe('The ARN of the target group.'),
  version: optional(string().max(256)).describe('The version that its AWSTargetGroup states.'),
  weight: integer(0, 999).describe('Its weight in the listener rule.'),
});

const status = object({
  listenerARN: optional(string().max(512)).describe('The listener that has the rule.'),
  ruleARN: optional(string().max(512)).describe('The ARN of the rule.'),
  priority: optional(integer(1, 50_000)).describe('The priority of the rule.'),
  version: optional(string().max(256)).describe('The version with most of the weight.'),
  weights: optional(string().max(2048)).describe('The weights in readable form: a1: 50, a2: 50.'),
  targetGroups: optional(atomicList(targetGroup, 5)).describe(
    'The target groups that the rule forwards to, as read back from ELBv2.',
  ),
  lastSyncTime: optional(timestamp).describe('When Okra wrote this status.'),
});

export const awsApplicationLoadBalancerTargetDeployment = defineResource({
  kind: 'AWSApplicationLoadBalancerTargetDeployment',
  shortNames: ['awsalbtd'],
  description:
    'An AWSApplicationLoadBalancerTargetDeployment shows the target groups, with their versions, that a listener rule of an Application Load Balancer routes to now. Okra creates one for each AWSApplicationLoadBalancerConfig, with the same name, and keeps its status current. Do not edit it: its spec is empty, and Okra overwrites its status.',
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

export type AWSApplicationLoadBalancerTargetDeploymentStatus = z.output<typeof status>;
export type AWSApplicationLoadBalancerTargetDeployment = Resource<
  z.output<typeof spec>,
  AWSApplicationLoadBalancerTargetDeploymentStatus
>;
