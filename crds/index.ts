import { awsApplicationLoadBalancerConfig } from './aws-application-load-balancer-config.ts';
import { awsTargetGroup } from './aws-target-group.ts';
import { cell } from './cell.ts';
import { freeze } from './freeze.ts';

/** Every kind that Okra defines. */
export const resources = [cell, awsTargetGroup, awsApplicationLoadBalancerConfig, freeze] as const;
