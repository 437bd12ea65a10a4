import { optional, z } from 'zod';
import { applicationsStatus } from './application-status.ts';
import { clustersStatus } from './cell-clusters.ts';
import { conditions, observedGeneration, statusWriter } from './common.ts';
import { askNames } from './request-names.ts';
import { paused, rolloutStatus, version } from './rollout-status.ts';

const approval = z.object({
  by: z.string().max(253).describe('Who approved.'),
  reason: z.string().max(1024).describe('The reason given; may be empty.'),
  time: z.iso.datetime().describe('When they approved.'),
});

/** What is reported of the approvals that a step takes. */
const approvalStatus = z.object({
  groups: z
    .array(z.string().max(253))
    .max(20)
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('The groups whose members may approve.'),
  count: z.int().min(1).describe('How many people must approve.'),
  lacking: z.int().min(0).describe('How many approvals are still missing.'),
  message: optional(z.string().max(1024)).describe('What to look at before approving.'),
  approvals: optional(z.array(approval).max(10))
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('Who approved, why and when.'),
});

const text = (what: string) => optional(z.string().max(32768)).describe(what);

/** The phases of a Cell. */
const cellPhases = [
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
  version: text('The version of the target group; empty when it is no longer known.'),
  role: z
    .enum(['Stable', 'Canary', 'Previous'])
    .describe(
      'Stable: serves now, and gets everything back on failure. Canary: is being rolled out. Previous: neither; its weight is 0.',
    ),
  weight: z.int().min(0).max(999).describe('Its weight in the listener rule, as read back from ELBv2.'),
  healthyTargets: optional(z.int().min(0)).describe(
    'How many of its targets were healthy when Okra checked them last.',
  ),
  targets: optional(z.int().min(0)).describe('How many targets were registered then.'),
  connections: text('Why traffic can differ from the weight: open flows, draining targets.'),
});

const blockedVersion = z.object({
  version: version.describe('The version that failed.'),
  // Short, because nobody says how many there are, and an object has room for 1.5 MB.
  cause: z.string().max(2048).describe('Why it failed.'),
  time: z.iso.datetime().describe('When it failed.'),
  observedGeneration: optional(z.int().min(0)).describe('The generation of the Cell at which it failed.'),
  pinned: optional(z.boolean()).describe(
    'Whether spec.version already named this version before it failed. If so, Okra tries it again only after retry, or when spec.version is removed and set again.',
  ),
});

const request = z.object({
  action: z
    .string()
    .max(64)
    .describe(`The request: ${askNames.slice(0, -1).join(', ')} or ${askNames.at(-1)}.`),
  by: z.string().max(253).describe('Who asked.'),
  reason: z.string().max(1024).describe('The reason given; may be empty.'),
  time: z.iso.datetime().describe('When Okra received it.'),
});

const requests = z.array(request).max(20).meta({ 'x-kubernetes-list-type': 'atomic' });

/** How what serves came to change, or did not. */
const changeOutcomes = ['Installed', 'Completed', 'RolledBack', 'FellBack', 'Reverted', 'Withdrawn'] as const;

const change = z.object({
  version: version.describe('The version that was rolled out.'),
  from: optional(version).describe('The version that served before.'),
  outcome: z
    .enum(changeOutcomes)
    .describe(
      'Installed: the first version. Completed: all steps are done. RolledBack: spec.version requested this lower version. FellBack: the newer target groups were gone. Reverted: the rollout failed, and the previous version has all traffic again. Withdrawn: the previous version still serves.',
    ),
  message: z.string().max(4096).describe('What happened, in a sentence.'),
  startedAt: z.iso.datetime().describe('When it began.'),
  endedAt: z.iso.datetime().describe('When it ended.'),
  requests: optional(requests).describe('The requests of operators during the rollout: who, what and why.'),
});

const unplannedShift = z.object({
  time: z.iso.datetime().describe('When ELBv2 was seen to serve them.'),
  purpose: z
    .string()
    .max(64)
    .describe(
      'Why: Restoring corrects weights that something else has changed; Reverting withdraws a rollout.',
    ),
  weights: z.string().max(2048).describe('The target groups that got traffic, with their weights.'),
});

const measured = (kind: string) =>
  z.object({
    name: z.string().max(253).describe(`The name of the ${kind}.`),
    phase: z.string().max(64).describe('Its phase.'),
    message: z.string().max(32768).describe('The result, in a sentence.'),
  });

/** What is reported of a Cell. */
export const cellStatus = z.object({
  observedGeneration,
  observedHash: text(
    'A digest of everything that Okra observed. While it stays the same, there is nothing to do.',
  ),
  phase: optional(z.enum(cellPhases)).describe('The phase of the Cell.'),
  reason: text('The reason for the phase, in one CamelCase word.'),
  message: text('The reason for the phase, in a sentence.'),
  desiredVersion: text('The version that is being rolled out, or else the one that serves.'),
  stableVersion: text('The version that serves, and gets everything back when a rollout fails.'),
  canaryWeight: optional(z.int().min(0).max(100)).describe('The total weight of the canary: 0 to 100.'),
  currentStepIndex: optional(z.int().min(0)).describe(
    'The index of the step under way, from 0; the number of steps when none is left.',
  ),
  step: text(
    'The step under way, from 1, of how many there are, for example 2/4; done when none is left. Only during a rollout.',
  ),
  targetGroups: optional(z.array(targetGroup).max(5))
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('The target groups in the listener rule with their weights, as read back from ELBv2.'),
  rejectedTargetGroups: optional(
    z.array(
      z.object({
        name: z.string().max(253).describe('The name of the AWSTargetGroup.'),
        reason: z.string().max(1024).describe('Why it cannot be used, in one CamelCase word.'),
        message: z.string().max(32768).describe('Why it cannot be used, in a sentence.'),
      }),
    ),
  )
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe(
      'Selected AWSTargetGroups that Okra cannot use, at most 100 of them. They do not hold up the others.',
    ),
  availableTargetGroups: optional(z.int().min(0)).describe(
    'How many target groups of the awaited version exist.',
  ),
  desiredTargetGroups: optional(z.int().min(0)).describe(
    'How many target groups of the awaited version are required.',
  ),
  blockedVersions: optional(z.array(blockedVersion))
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe(
      'Versions that failed. Okra does not try one again until you send retry, pin spec.version to it, or remove it from this list.',
    ),
  analysisRun: optional(measured('AnalysisRun')).describe('The AnalysisRun of the current step.'),
  experiment: optional(measured('Experiment')).describe('The Experiment of the current step.'),
  check: optional(measured('Check')).describe('The Checks of the current step, together.'),
  job: optional(measured('Job')).describe('The Job of the current step.'),
  approval: optional(approvalStatus).describe('The approvals of the current step.'),
  backgroundAnalysisRun: optional(measured('AnalysisRun')).describe(
    'The AnalysisRun in the background of the steps.',
  ),
  rollout: optional(rolloutStatus).describe('The rollout in progress.'),
  clusters: optional(clustersStatus).describe('The clusters of a Cell with applications.'),
  applications: optional(applicationsStatus).describe(
    'The applications of a Cell, in the order of its spec.',
  ),
  paused: optional(paused).describe('Who paused the applications.'),
  requests: optional(requests).describe(
    'The requests of operators since the last change: who, what and why.',
  ),
  history: optional(z.array(change).max(10))
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('The last ten changes of the serving version, newest first.'),
  unplannedShifts: optional(z.array(unplannedShift).max(8))
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe(
      'The last changes of weights that no step of a rollout made, newest first. When they undo one another again and again, nothing moves for a while.',
    ),
  conditions: optional(conditions),
  writer: statusWriter,
  lastSyncTime: optional(z.iso.datetime()).describe('When Okra wrote this status.'),
});
