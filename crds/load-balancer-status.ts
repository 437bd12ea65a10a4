import { z } from 'zod';
import { conditions } from './common.ts';

/** What every load balancer configuration reports: how applying it went. */
export const applied = {
  observedGeneration: z.int().min(0).optional().describe('The metadata.generation that was applied last.'),
  phase: z
    .enum(['Pending', 'Created', 'Updating', 'Updated', 'Error'])
    .optional()
    .describe('Whether ELBv2 serves the spec: Created or Updated when it does.'),
  reason: z.string().max(1024).optional().describe('Why, in one CamelCase word.'),
  message: z.string().max(32768).optional().describe('Why, in a sentence.'),
};

/** What every load balancer configuration reports: the weights, and what holds. */
export const serving = {
  weights: z
    .string()
    .max(2048)
    .optional()
    .describe('The weights that ELBv2 serves, for people: a1: 50, a2: 50.'),
  conditions: conditions.optional(),
  lastSyncTime: z.iso.datetime().optional().describe('When this status was written.'),
};
