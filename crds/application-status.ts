import { z } from 'zod';

/** The phases of an application. */
export const applicationPhases = [
  'Pending',
  'Prechecking',
  'Syncing',
  'Migrating',
  'Completing',
  'Synced',
  'PrecheckFailed',
  'CheckFailed',
  'Reverting',
] as const;

const checks = z
  .array(
    z.object({
      name: z.string().max(40).describe('The name of the check.'),
      run: z.string().max(253).describe('The name of the Job, the AnalysisRun or the Checks.'),
      phase: z
        .enum(['Pending', 'Running', 'Successful', 'Failed', 'Error', 'Inconclusive'])
        .describe('How far it has come; Pending until it has been seen.'),
      message: z.string().max(1024).describe('What it says, in a sentence.'),
      hash: z.string().max(64).describe('The digest of the forward config that it is about.'),
      time: z.iso.datetime().describe('Since when.'),
    }),
  )
  .max(8)
  .optional()
  .meta({ 'x-kubernetes-list-type': 'atomic' });

const revision = z.int().min(0);

const applicationStatus = z.object({
  name: z.string().max(40).describe('The name of the application.'),
  phase: z.enum(applicationPhases).describe('Where it stands, in one word.'),
  reason: z.string().max(64).optional().describe('Why, in one CamelCase word.'),
  message: z.string().max(2048).optional().describe('Why, in a sentence.'),
  revision: revision.optional().describe('The revision that is being brought about, or that is in place.'),
  goodRevision: revision
    .optional()
    .describe('The last revision that was in place, and that is gone back to.'),
  child: z
    .object({
      name: z.string().max(63).describe('The name of the Cell that moves its traffic.'),
      weight: z.int().min(0).max(100).optional().describe('The weight of the new target groups: 0 to 100.'),
      step: z.string().max(64).optional().describe('How many of its steps are done.'),
    })
    .optional()
    .describe('The Cell that moves its traffic.'),
  prechecks: checks.describe('The prechecks of the revision.'),
  checks: checks.describe('The checks of the revision, of an application without alb.'),
  postchecks: checks.describe('The postchecks of the revision.'),
  failed: z
    .object({
      revision: revision.describe('The revision that failed.'),
      hash: z.string().max(64).describe('The digest of what it asks for.'),
      phase: z
        .enum(['PrecheckFailed', 'CheckFailed', 'Reverting'])
        .describe('What failed; Reverting when someone has aborted it.'),
      reason: z.string().max(64).describe('Why, in one CamelCase word.'),
      message: z.string().max(1024).describe('Why, in a sentence.'),
      time: z.iso.datetime().describe('When it failed.'),
      reverted: z.boolean().optional().describe('Whether the revision before is in place again.'),
      retried: z.boolean().optional().describe('Whether someone has asked for another attempt.'),
    })
    .optional()
    .describe('What failed last; it is not tried again before it is edited, or someone sends retry.'),
});

/** How the applications of a Cell stand. */
export const applicationsStatus = z
  .array(applicationStatus)
  .max(16)
  .meta({ 'x-kubernetes-list-type': 'atomic' });

/** How an application stands, as the status of its Cell says it. */
export type ApplicationStatus = z.output<typeof applicationStatus>;
/** The phase of an application. */
export type ApplicationPhase = ApplicationStatus['phase'];
