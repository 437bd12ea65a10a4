import { z } from 'zod';
import { applicationsStatus } from './application-status.ts';
import { approvalStatus } from './approval-status.ts';
import { clustersStatus } from './cell-clusters.ts';
import { conditions, observedGeneration } from './common.ts';
import { askNames } from './request-names.ts';

// As long as a label may be, and the numbers that are left out: v2 is 2.0.0.
const version = z.string().max(67);

const text = (what: string) => z.string().max(32768).optional().describe(what);

/** The phases of a Cell. */
export const cellPhases = [
  'Pending',
  'Waiting',
  'Progressing',
  'Paused',
  'Completed',
  'Reverting',
  'Reverted',
  'Failed',
  'FailedReverting',
] as const;

const targetGroup = z.object({
  name: z.string().max(253).describe('The name of the AWSTargetGroup.'),
  arn: z.string().max(512).describe('The ARN of the target group.'),
  version: text('The version that it serves; empty when nobody knows it any more.'),
  role: z
    .enum(['Stable', 'Canary', 'Previous'])
    .describe(
      'Stable: what serves, and what is gone back to. Canary: what is being rolled out. Previous: neither, at weight 0.',
    ),
  weight: z.int().min(0).max(999).describe('Its weight in the listener rule, as read back from ELBv2.'),
  connections: text(
    'Why clients are elsewhere than the weight says: open flows, draining targets, slow start.',
  ),
});

const blockedVersion = z.object({
  version: version.describe('The version that failed.'),
  // Short, because nobody says how many there are, and an object has room for 1.5 MB.
  cause: z.string().max(2048).describe('Why it failed.'),
  time: z.iso.datetime().describe('When it failed.'),
  observedGeneration: z.int().min(0).optional().describe('The generation of the Cell at which it failed.'),
  pinned: z
    .boolean()
    .optional()
    .describe(
      'Whether spec.version has named it since before it failed. Then it is tried again by retry, or when spec.version is removed and set again.',
    ),
});

const request = z.object({
  action: z
    .string()
    .max(64)
    .describe(`What was asked: ${askNames.slice(0, -1).join(', ')} or ${askNames.at(-1)}.`),
  by: z.string().max(253).describe('Who asked.'),
  reason: z.string().max(1024).describe('Why; empty when nobody said.'),
  time: z.iso.datetime().describe('When it was received.'),
});

const requests = z.array(request).max(20).meta({ 'x-kubernetes-list-type': 'atomic' });

/** How what serves came to change, or did not. */
export const changeOutcomes = [
  'Installed',
  'Completed',
  'RolledBack',
  'FellBack',
  'Reverted',
  'Withdrawn',
] as const;

const change = z.object({
  version: version.describe('The version that was to serve.'),
  from: version.optional().describe('The version that served before.'),
  outcome: z
    .enum(changeOutcomes)
    .describe(
      'Installed: the first to serve. Completed: it took all steps. RolledBack: spec.version asked for it. FellBack: the newer target groups were gone. Reverted: the rollout failed, and the one before has everything back. Withdrawn: the one before still serves.',
    ),
  message: z.string().max(4096).describe('What happened, in a sentence.'),
  startedAt: z.iso.datetime().describe('When it began.'),
  endedAt: z.iso.datetime().describe('When it was over.'),
  requests: requests.optional().describe('What operators asked for meanwhile: who, what and why.'),
});

const measured = (kind: string) =>
  z.object({
    name: z.string().max(253).describe(`The name of the ${kind}.`),
    phase: z.string().max(64).describe('Its phase.'),
    message: z.string().max(32768).describe('What is said about it.'),
  });

const paused = z.object({
  by: z.string().max(253).describe('Who paused it.'),
  reason: z.string().max(1024).describe('Why; empty when nobody said.'),
  time: z.iso.datetime().describe('Since when.'),
});

/** What is reported of a Cell. */
export const cellStatus = z.object({
  observedGeneration,
  observedHash: text(
    'A digest of everything that was looked at; while it stays the same there is nothing to do.',
  ),
  phase: z.enum(cellPhases).optional().describe('Where the Cell stands, in one word.'),
  reason: text('Why it stands there, in one CamelCase word.'),
  message: text('Why it stands there, in a sentence.'),
  desiredVersion: text('The version that is being rolled out, or that serves.'),
  stableVersion: text('The version that serves, and that everything goes back to when a rollout fails.'),
  canaryWeight: z.int().min(0).max(100).optional().describe('The total weight of the canary: 0 to 100.'),
  currentStepIndex: z.int().min(0).optional().describe('The index of the current step, from 0.'),
  step: text('How many of the steps are done, for example 2/4.'),
  targetGroups: z
    .array(targetGroup)
    .max(5)
    .optional()
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('The target groups in the listener rule with their weights, as read back from ELBv2.'),
  rejectedTargetGroups: z
    .array(
      z.object({
        name: z.string().max(253).describe('The name of the AWSTargetGroup.'),
        reason: z.string().max(1024).describe('Why it cannot be used, in one CamelCase word.'),
        message: z.string().max(32768).describe('Why it cannot be used, in a sentence.'),
      }),
    )
    .optional()
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('Selected AWSTargetGroups that cannot be used; the others are not held up by them.'),
  availableTargetGroups: z
    .int()
    .min(0)
    .optional()
    .describe('How many target groups of the awaited version there are.'),
  desiredTargetGroups: z
    .int()
    .min(0)
    .optional()
    .describe('How many target groups of the awaited version are needed.'),
  blockedVersions: z
    .array(blockedVersion)
    .optional()
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe(
      'Versions that failed and are not tried again before someone sends retry, pins spec.version to them, or removes them here.',
    ),
  analysisRun: measured('AnalysisRun').optional().describe('The AnalysisRun of the current step.'),
  experiment: measured('Experiment').optional().describe('The Experiment of the current step.'),
  check: measured('Check').optional().describe('The Checks of the current step, together.'),
  job: measured('Job').optional().describe('The Job of the current step.'),
  approval: approvalStatus.optional().describe('The approvals of the current step.'),
  backgroundAnalysisRun: measured('AnalysisRun')
    .optional()
    .describe('The AnalysisRun in the background of the steps.'),
  rollout: z
    .object({
      id: z
        .string()
        .max(64)
        .describe(
          'The id of the rollout; the names of its AnalysisRuns, Experiments, Checks and Jobs have it.',
        ),
      startedAt: z.iso.datetime().describe('When the rollout began.'),
      stepStartedAt: z.iso
        .datetime()
        .optional()
        .describe('When the current step began, or the bake once all are done.'),
      stepEndsAt: z.iso
        .datetime()
        .optional()
        .describe('When the pause or bake that it is in is over, unless something else holds it then.'),
      workflowId: z.string().max(1000).describe('The id of the Temporal workflow that does it.'),
      runId: z.string().max(64).describe('The run id of that workflow.'),
      ending: z
        .object({
          kind: z
            .enum(['Failed', 'Withdrawn'])
            .describe('Failed: its version is blocked. Withdrawn: it is not.'),
          reason: z.string().max(1024).describe('Why, in one CamelCase word.'),
          message: z.string().max(32768).describe('Why, in a sentence.'),
          time: z.iso.datetime().describe('Since when.'),
        })
        .optional()
        .describe('Why it is being taken back.'),
      paused: paused.optional().describe('Who has paused it until someone resumes it.'),
    })
    .optional()
    .describe('The rollout that is under way.'),
  clusters: clustersStatus.optional().describe('The clusters of a Cell with applications.'),
  applications: applicationsStatus
    .optional()
    .describe('The applications of a Cell, in the order of its spec.'),
  paused: paused.optional().describe('Who has paused the applications until someone resumes them.'),
  requests: requests
    .optional()
    .describe('What operators have asked for since the last change: who, what and why.'),
  history: z
    .array(change)
    .max(10)
    .optional()
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('The last ten changes of what serves, the newest first.'),
  conditions: conditions.optional(),
  writer: z
    .object({
      runId: z.string().max(64).describe('The run id of the workflow.'),
      activity: z.int().min(0).describe('The number of the activity in that run.'),
    })
    .optional()
    .describe('Who has written this status, so that one that comes late is not written over it.'),
  lastSyncTime: z.iso.datetime().optional().describe('When this status was written.'),
});
