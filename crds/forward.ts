import { z } from 'zod';
import { targetGroupARN } from './common.ts';
import { withRules } from './rules.ts';

const forwardTargetGroup = z.object({
  name: z
    .string()
    .min(1)
    .max(253)
    .describe('The name of the AWSTargetGroup, for readability; ELBv2 does not use it.'),
  arn: targetGroupARN.describe('The ARN of the target group.'),
  weight: z
    .int()
    .min(0)
    .max(999)
    .describe('The share of the traffic, relative to the other target groups: 0 to 999.'),
});

/** The target groups of a forward action with their weights. */
export const forwardTargetGroups = withRules(z.array(forwardTargetGroup).min(1).max(5), [
  {
    cel: 'self.all(x, self.exists_one(y, y.arn == x.arn))',
    message: 'Expected each target group once in forward.targetGroups. Remove the repeated ARN.',
    holds: (groups) => new Set(groups.map((group) => group.arn)).size === groups.length,
  },
  {
    cel: 'self.exists(x, x.weight > 0)',
    message:
      'Expected at least one target group with a weight above 0 in forward.targetGroups, or nobody is served.',
    holds: (groups) => groups.some((group) => group.weight > 0),
  },
])
  .meta({ 'x-kubernetes-list-type': 'atomic' })
  .describe('The target groups to forward to: 1 to 5, the limit of ELBv2.');
