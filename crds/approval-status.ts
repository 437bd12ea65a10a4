import { z } from 'zod';

const approval = z.object({
  by: z.string().max(253).describe('Who approved.'),
  reason: z.string().max(1024).describe('The reason that was given; may be empty.'),
  time: z.iso.datetime().describe('When they approved.'),
});

/** What is reported of the approvals that a step takes. */
export const approvalStatus = z.object({
  groups: z
    .array(z.string().max(253))
    .max(20)
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('The groups whose members may approve.'),
  count: z.int().min(1).describe('How many people must approve.'),
  lacking: z.int().min(0).describe('How many approvals are still missing.'),
  message: z.string().max(1024).optional().describe('What to look at before approving.'),
  approvals: z
    .array(approval)
    .max(10)
    .optional()
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('Who approved, why and when.'),
});
