import { boolean, enum as choice, object, optional, string, type z } from 'zod';
import { atomicList, integer, listOf, timestamp } from './common.ts';

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

const checks = optional(
  listOf(
    object({
      name: string().max(40).describe('The name of the check.'),
      run: string().max(253).describe('The name of the Job, AnalysisRun or Checks.'),
      phase: choice(['Pending', 'Running', 'Successful', 'Failed', 'Error', 'Inconclusive']).describe(
        'The phase of the check; Pending until Okra has seen its object.',
      ),
      message: string().max(1024).describe('The result, in a sentence.'),
      hash: string().max(64).describe('The digest of the forward config that was checked.'),
      time: timestamp.describe('When this began.'),
    }),
    8,
  ),
).meta({ 'x-kubernetes-list-type': 'atomic' });

const revision = integer(0);

const applicationStatus = object({
  name: string().max(40).describe('The name of the application.'),
  phase: choice(applicationPhases).describe('The phase of the application.'),
  reason: optional(string().max(64)).describe('The reason, in one CamelCase word.'),
  message: optional(string().max(2048)).describe('The reason, in a sentence.'),
  revision: optional(revision).describe('The revision that Okra is applying, or has applied.'),
  goodRevision: optional(revision).describe(
    'The last revision that was completely applied; a failed application goes back to it.',
  ),
  child: optional(
    object({
      name: string().max(63).describe('The name of the Cell that moves the traffic.'),
      weight: optional(integer(0, 100)).describe('The weight of the new target groups: 0 to 100.'),
      step: optional(string().max(64)).describe('The step of this Cell that is under way, for example 2/4.'),
    }),
  ).describe('The Cell that moves the traffic of the application.'),
  prechecks: checks.describe('The prechecks of the revision.'),
  checks: checks.describe('The checks of the revision, for an application without alb.'),
  postchecks: checks.describe('The postchecks of the revision.'),
  syncing: optional(
    object({
      revision: revision.describe('The revision that Argo CD deploys.'),
      since: timestamp.describe('Since when Okra waits for it.'),
    }),
  ).describe('While Okra waits for Argo CD.'),
  failed: optional(
    object({
      revision: revision.describe('The revision that failed.'),
      hash: string().max(64).describe('The digest of the failed revision.'),
      phase: choice(['PrecheckFailed', 'CheckFailed', 'Reverting']).describe(
        'What failed; Reverting after an abort.',
      ),
      reason: string().max(64).describe('The reason, in one CamelCase word.'),
      message: string().max(1024).describe('The reason, in a sentence.'),
      time: timestamp.describe('When it failed.'),
      reverted: optional(boolean()).describe('Whether Okra has applied the previous revision again.'),
      retried: optional(boolean()).describe('Whether another attempt was requested.'),
    }),
  ).describe(
    'The last failure. Okra does not try this revision again until you edit the application or send retry.',
  ),
});

/** How the applications of a Cell stand. */
export const applicationsStatus = atomicList(applicationStatus, 16);

/** How an application stands, as the status of its Cell says it. */
export type ApplicationStatus = z.output<typeof applicationStatus>;
