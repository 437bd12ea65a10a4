import { z } from 'zod';
import { duration } from './common.ts';
import { withRules } from './rules.ts';

/** A number of clusters, or a share of those of the stage. */
const amount = (least: 0 | 1, field: string) => {
  const pattern = least === 0 ? '^(100|[0-9]{1,2})%$' : '^(100|[1-9][0-9]?)%$';
  return withRules(
    z
      .union([z.int().min(least).max(10_000), z.string().min(1).max(4)])
      .meta({ 'x-kubernetes-int-or-string': true, maxLength: 4 }),
    [
      {
        cel: `type(self) == int ? self >= ${least} && self <= 10000 : self.matches('${pattern}')`,
        message: `Expected ${field} to be a whole number from ${least} to 10000 or a share such as 25%, from ${least}% to 100%. Correct it.`,
        holds: (value) => typeof value === 'number' || new RegExp(pattern).test(value),
      },
    ],
  );
};

/** How a stage reaches its clusters one after the other (Progressive of Open Cluster Management's RolloutStrategy). */
export const progressive = z.object({
  maxConcurrency: amount(1, 'maxConcurrency')
    .optional()
    .describe(
      'How many clusters may be in progress at once: a number, or a percentage of the clusters of the stage, rounded up. Default: all.',
    ),
  maxFailures: amount(0, 'maxFailures')
    .optional()
    .describe(
      'How many clusters may fail (exceed progressDeadline): a number, or a percentage of the clusters of the stage, rounded up. When more fail, Okra starts no others. Default: 0.',
    ),
  progressDeadline: duration
    .optional()
    .describe('How long a cluster may take to fulfil the stage. Default: no limit.'),
  minSuccessTime: duration
    .optional()
    .describe('How long a cluster must fulfil the stage before another takes its place. Default: 0s.'),
  clusterLabel: z
    .string()
    .min(1)
    .max(317)
    .optional()
    .describe(
      'The label of ManagedClusters with the name of the cluster. BindingPolicies use it to select some of the clusters. Default: name.',
    ),
  clusterColumn: z
    .string()
    .min(1)
    .max(253)
    .optional()
    .describe(
      'The column of the StatusCollectors with inventory.name, which tells the rows of the clusters apart. Default: cluster.',
    ),
});

/** How a stage reaches its clusters. */
export type Progressive = z.output<typeof progressive>;
