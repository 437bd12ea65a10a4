import { array, boolean, enum as choice, object, optional, string, type z } from 'zod';
import {
  asked,
  atomicList,
  conditions,
  integer,
  observedGeneration,
  statusWriter,
  timestamp,
} from './common.ts';
import { askNames } from './request-names.ts';

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
  atomicList(
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
);

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

/** How an application stands, as the status of its Cell says it. */
export type ApplicationStatus = z.output<typeof applicationStatus>;

// As long as a label may be, and the numbers that are left out: v2 is 2.0.0.
const version = string().max(67);

const side = (what: string) =>
  object({
    version: version.describe('Its version.'),
    targetGroups: atomicList(
      object({
        name: string().max(253).describe('The name of the AWSTargetGroup.'),
        arn: string().max(512).describe('The ARN of the target group.'),
        fullName: string().max(512).describe('The target group as CloudWatch calls it.'),
      }),
      5,
    ).describe('Its target groups.'),
  }).describe(what);

const paused = object(asked('Who paused it.', 'When this began.'));

const rolloutStatus = object({
  id: string()
    .max(64)
    .describe(
      'The id of the rollout, which is part of the names of its AnalysisRuns, Experiments, Checks and Jobs.',
    ),
  startedAt: timestamp.describe('When the rollout began.'),
  stepStartedAt: timestamp.describe('When the current step began, or the bake after the last step.'),
  stepEndsAt: optional(timestamp).describe(
    'When the current pause or bake ends, unless something else holds the rollout then.',
  ),
  edition: optional(integer(0)).describe(
    'How often its steps were edited or a measurement was repeated, which is part of the names as well.',
  ),
  stable: side('The side that served before the rollout.'),
  canary: side('The side that is rolled out.'),
  loadBalancer: optional(
    object({ fullName: string().max(512).describe('The load balancer as CloudWatch calls it.') }),
  ).describe('The load balancer of the listener.'),
  workflowId: string().max(1000).describe('The id of the Temporal workflow of the rollout.'),
  runId: string().max(64).describe('The run id of that workflow.'),
  ending: optional(
    object({
      kind: choice(['Failed', 'Withdrawn']).describe(
        'Failed: the version is blocked. Withdrawn: the version is not blocked.',
      ),
      reason: string().max(1024).describe('The reason, in one CamelCase word.'),
      message: string().max(32768).describe('The reason, in a sentence.'),
      time: timestamp.describe('When this began.'),
    }),
  ).describe('Why Okra is taking the rollout back.'),
  paused: optional(paused).describe('Who paused the rollout.'),
});

const approval = object(asked('Who approved.', 'When they approved.'));

const approvalStatus = object({
  groups: atomicList(string().max(253), 20).describe('The groups whose members may approve.'),
  count: integer(1).describe('How many people must approve.'),
  lacking: integer(0).describe('How many approvals are still missing.'),
  message: optional(string().max(1024)).describe('What to look at before approving.'),
  approvals: optional(atomicList(approval, 10)).describe('Who approved, why and when.'),
});

const sentence = (what: string) => optional(string().max(32768)).describe(what);

const targetGroup = object({
  name: string().max(253).describe('The name of the AWSTargetGroup.'),
  arn: string().max(512).describe('The ARN of the target group.'),
  version: sentence('The version of the target group; empty when it is no longer known.'),
  role: choice(['Stable', 'Canary', 'Previous']).describe(
    'Stable: serves now, and gets all traffic back on failure. Canary: is being rolled out. Previous: neither; its weight is 0.',
  ),
  weight: integer(0, 999).describe('Its weight in the listener rule, as read back from ELBv2.'),
  healthyTargets: optional(integer(0)).describe(
    'How many of its targets were healthy when Okra checked them last.',
  ),
  targets: optional(integer(0)).describe('How many targets were registered then.'),
  connections: sentence('Why traffic can differ from the weight: open flows, draining targets.'),
});

const blockedVersion = object({
  version: version.describe('The version that failed.'),
  // Short, because nobody says how many there are, and an object has room for 1.5 MB.
  cause: string().max(2048).describe('Why it failed.'),
  time: timestamp.describe('When it failed.'),
  observedGeneration: optional(integer(0)).describe('The generation of the Cell at which it failed.'),
  pinned: optional(boolean()).describe(
    'Whether spec.version already named this version before it failed. If so, Okra tries it again only after retry, or when spec.version is removed and set again.',
  ),
});

const request = object({
  action: string()
    .max(64)
    .describe(`The request: ${askNames.slice(0, -1).join(', ')} or ${askNames.at(-1)}.`),
  ...asked('Who asked.', 'When Okra received it.'),
});

const requests = atomicList(request, 20);

const change = object({
  version: version.describe('The version that was rolled out.'),
  from: optional(version).describe('The version that served before.'),
  outcome: choice(['Installed', 'Completed', 'RolledBack', 'FellBack', 'Reverted', 'Withdrawn']).describe(
    'Installed: the first version. Completed: all steps are done. RolledBack: spec.version requested this lower version. FellBack: the newer target groups were gone. Reverted: the rollout failed, and the previous version has all traffic again. Withdrawn: the previous version still serves.',
  ),
  message: string().max(4096).describe('What happened, in a sentence.'),
  startedAt: timestamp.describe('When it began.'),
  endedAt: timestamp.describe('When it ended.'),
  requests: optional(requests).describe('The requests of operators during the rollout: who, what and why.'),
});

const unplannedShift = object({
  time: timestamp.describe('When ELBv2 was seen to serve them.'),
  purpose: string()
    .max(64)
    .describe(
      'Why: Restoring corrects weights that something else has changed; Reverting withdraws a rollout.',
    ),
  weights: string().max(2048).describe('The target groups that got traffic, with their weights.'),
});

const measured = (kind: string) =>
  object({
    name: string().max(253).describe(`The name of the ${kind}.`),
    phase: string().max(64).describe('Its phase.'),
    message: string().max(32768).describe('The result, in a sentence.'),
  });

const clustersStatus = atomicList(
  object({
    name: string().max(63).describe('The name of the cluster in this Cell.'),
    ready: boolean().describe('Whether the cluster is ready.'),
    message: string().max(1024).describe('The reason, in a sentence.'),
    since: timestamp.describe('When this began.'),
  }),
  64,
);

export const cellStatus = object({
  observedGeneration,
  observedHash: sentence(
    'A digest of everything that Okra observed. While it stays the same, there is nothing to do.',
  ),
  phase: optional(
    choice([
      'Pending',
      'Waiting',
      'Progressing',
      'Paused',
      'Completed',
      'Reverting',
      'Reverted',
      'Failed',
      'RevertBlocked',
    ]),
  ).describe('The phase of the Cell.'),
  reason: sentence('The reason for the phase, in one CamelCase word.'),
  message: sentence('The reason for the phase, in a sentence.'),
  desiredVersion: sentence('The version that is being rolled out, or else the one that serves.'),
  stableVersion: sentence('The version that serves, and gets all traffic back when a rollout fails.'),
  canaryWeight: optional(integer(0, 100)).describe('The total weight of the canary: 0 to 100.'),
  currentStepIndex: optional(integer(0)).describe(
    'The index of the step under way, from 0; the number of steps when none is left.',
  ),
  step: sentence(
    'The step under way, from 1, of how many there are, for example 2/4; done when none is left. Only during a rollout.',
  ),
  targetGroups: optional(atomicList(targetGroup, 5)).describe(
    'The target groups in the listener rule with their weights, as read back from ELBv2.',
  ),
  rejectedTargetGroups: optional(
    array(
      object({
        name: string().max(253).describe('The name of the AWSTargetGroup.'),
        reason: string().max(1024).describe('Why it cannot be used, in one CamelCase word.'),
        message: string().max(32768).describe('Why it cannot be used, in a sentence.'),
      }),
    ),
  )
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe(
      'Selected AWSTargetGroups that Okra cannot use, at most 100 of them. They do not hold up the others.',
    ),
  availableTargetGroups: optional(integer(0)).describe(
    'How many target groups of the awaited version exist.',
  ),
  desiredTargetGroups: optional(integer(0)).describe(
    'How many target groups of the awaited version are required.',
  ),
  blockedVersions: optional(array(blockedVersion))
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
  applications: optional(atomicList(applicationStatus, 16)).describe(
    'The applications of a Cell, in the order of its spec.',
  ),
  paused: optional(paused).describe('Who paused the applications.'),
  requests: optional(requests).describe(
    'The requests of operators since the last change: who, what and why.',
  ),
  history: optional(atomicList(change, 10)).describe(
    'The last ten changes of the serving version, newest first.',
  ),
  unplannedShifts: optional(atomicList(unplannedShift, 8)).describe(
    'The last changes of weights that no step of a rollout made, newest first. When they undo one another again and again, nothing moves for a while.',
  ),
  conditions: optional(conditions),
  writer: statusWriter,
  lastSyncTime: optional(timestamp).describe('When Okra wrote this status.'),
});
