import { z } from 'zod';
import { duration } from './common.ts';
import { withRules } from './rules.ts';

/** The approvals that a step waits for. */
export const approvalStep = z.object({
  groups: withRules(z.array(z.string().min(1).max(253)).min(1).max(20), [
    {
      cel: "!self.exists(group, group == 'system:masters')",
      message:
        'Expected approval.groups without system:masters, whom Kubernetes lets do everything unasked. Name a group of people.',
      holds: (groups) => !groups.includes('system:masters'),
    },
  ])
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('Kubernetes groups; an approver must be in at least one of them.'),
  count: z.int().min(1).max(10).default(1).describe('How many different people must approve. Default: 1.'),
  timeout: duration
    .optional()
    .describe('How long the step waits before it fails. Default: until people approve or someone aborts.'),
  message: z.string().min(1).max(1024).optional().describe('What approvers should look at.'),
});
