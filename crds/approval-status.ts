import { z } from 'zod';

const approval = z.object({
  by: z.string().max(253).describe('Who has approved.'),
  reason: z.string().max(1024).describe('Why; empty when nobody said.'),
  time: z.iso.datetime().describe('When.'),
});

/** What is reported of the approvals that a step takes. */
export const approvalStatus = z.object({
  groups: z
    .array(z.string().max(253))
    .max(20)
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('Whose people may approve.'),
  count: z.int().min(1).describe('How many have to.'),
  lacking: z.int().min(0).describe('How many are lacking still.'),
  message: z.string().max(1024).optional().describe('What is to be looked at.'),
  approvals: z
    .array(approval)
    .max(10)
    .optional()
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('Who has approved, why and when.'),
});
