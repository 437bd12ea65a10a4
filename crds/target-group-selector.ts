import { z } from 'zod';
import { labelSelector } from './common.ts';
import { withRules } from './rules.ts';

/** Which AWSTargetGroups a Cell takes: what the block of each kind of load balancer has. */
export const targetGroupSelector = withRules(
  labelSelector.extend({
    versionLabels: z
      .array(z.string().min(1).max(317))
      .min(1)
      .max(8)
      .optional()
      .describe(
        'Labels of an AWSTargetGroup that may have its version; Okra uses the first that is not empty. Default: okra.mumo.co/version.',
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
