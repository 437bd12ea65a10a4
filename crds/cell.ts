import { boolean, enum as choice, object, optional, type z } from 'zod';
import type { analysisStep, backgroundAnalysis } from './analysis.ts';
import { applicationsOfCell } from './application.ts';
import type { step } from './canary-steps.ts';
import { clustersOfCell } from './cell-clusters.ts';
import { cellRules, nameRules } from './cell-rules.ts';
import { cellStatus } from './cell-status.ts';
import { deletionPolicy, duration, integer, nonEmpty } from './common.ts';
import type { experimentStep } from './experiment.ts';
import { ingress } from './ingress.ts';
import { defineResource, type Resource } from './resource.ts';
import { withRules } from './rules.ts';
import { updateStrategy } from './update-strategy.ts';
import { windows } from './windows.ts';

const NUMBER = '(0|[1-9][0-9]{0,14})';
const PRERELEASE = '(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)';
const BUILD = '[0-9A-Za-z-]+';

// What domain/versions/version.ts reads as a version.
const SUFFIX = `([.]${PRERELEASE})*`;
const VERSION_PATTERN = `^v?${NUMBER}(([.]${NUMBER}){1,2}(-${PRERELEASE}${SUFFIX})?|-[A-Za-z-][0-9A-Za-z-]*${SUFFIX})?([+]${BUILD}([.]${BUILD})*)?$`;

const EXPECTED_VERSION = 'spec.version must be a semantic version such as 1.2.3, v2 or 1.4-rc.1';
const CORRECT_VERSION = 'Correct it, or remove it to follow the newest version.';

// A group that leaves a rule is not health checked any more, so that nobody could say whether it can be gone back to.
const MOST_REPLICAS = 2;

const replicas = withRules(integer(1), [
  {
    cel: `self <= ${MOST_REPLICAS}`,
    message:
      'spec.replicas must be 1 or 2, because the target groups of the old and the new version must fit into the five that an ELBv2 rule forwards to. Set it to 1 or 2, and put several clusters of a version into one target group with an AWSTargetGroupBinding.',
    holds: (count) => count <= MOST_REPLICAS,
  },
]);

const fields = object({
  ingress: optional(ingress).describe(
    'The load balancer in front of the clusters, and the target groups behind it. Set either this or applications.',
  ),
  clusters: optional(clustersOfCell).describe('The clusters that the applications run on.'),
  applications: optional(applicationsOfCell).describe(
    'The applications that move to new clusters, in this order. Set either this or ingress.',
  ),
  parallel: optional(boolean()).describe(
    'Whether applications move in parallel. Default: one after the other, in their order.',
  ),
  onFailure: optional(choice(['Rollback', 'Stop'])).describe(
    'With applications: Rollback rolls a failed application back, Stop leaves everything as it is until a person decides. Default: Rollback.',
  ),
  syncTimeout: optional(duration).describe(
    'With applications: how long Argo CD may take to deploy an application to its clusters before it fails. Default: no limit.',
  ),
  rollbackDelay: optional(duration).describe(
    'How long Okra waits before it rolls a failed application back; its traffic is shifted back at once. Default: 60s.',
  ),
  replicas: replicas
    .default(1)
    .describe(
      'How many target groups a version must have before Okra rolls it out: 1 or 2. For more clusters of a version, let them share a target group with an AWSTargetGroupBinding. Default: 1.',
    ),
  deletionPolicy: optional(deletionPolicy).describe(
    'What happens to the listener rule when the Cell is deleted: Retain leaves it serving, Delete deletes it. A Network Load Balancer allows only Retain. Default: Retain.',
  ),
  version: optional(
    withRules(nonEmpty(63), [
      {
        cel: `self.matches('${VERSION_PATTERN}')`,
        message: `${EXPECTED_VERSION}. ${CORRECT_VERSION}`,
        messageExpression: `'${EXPECTED_VERSION}, got ' + self + '. ${CORRECT_VERSION}'`,
        holds: (version) => new RegExp(VERSION_PATTERN).test(version),
      },
    ]),
  ).describe(
    'The version to serve: one to three numbers, optionally with a leading v and semver suffixes; v2 is 2.0.0. A version lower than the one that serves now is swapped in at once, without steps. Default: the newest version that is complete and has not failed.',
  ),
  versionedBy: optional(object({ label: nonEmpty(317).describe('The key of the label.') })).describe(
    'Which label of an AWSTargetGroup has its version; targetGroupSelector.versionLabels takes precedence.',
  ),
  minHealthyTargets: integer(1, 1000)
    .default(1)
    .describe(
      'How many healthy targets each target group must have before it gets more weight; in each zone, where the load balancer routes within zones. Default: 1.',
    ),
  healthTimeout: duration
    .default('10m')
    .describe('How long a rollout waits for healthy targets before it fails. Default: 10m.'),
  evacuation: optional(
    object({
      policy: choice(['Auto', 'Disabled'])
        .default('Auto')
        .describe('Auto: moves the weight. Disabled: only reports, in the condition TargetsHealthy.'),
      after: duration
        .default('15s')
        .describe(
          'How long a target group must have no healthy target before its weight moves. Default: 15s.',
        ),
      returnAfter: duration
        .default('5m')
        .describe('How long its targets must be healthy again before it gets its weight back. Default: 5m.'),
    }),
  ).describe(
    'What happens to the weight of a target group that has lost its last healthy target: it moves to the healthy target groups of the same version. A canary without any healthy target is always reverted.',
  ),
  settle: optional(duration).describe(
    'How long a rollout waits after each change of weights for the data plane of the load balancer to follow. Default: 10s with an Application Load Balancer, 10m with a Network Load Balancer.',
  ),
  progressDeadline: optional(duration).describe(
    'How long a rollout may take before it fails and is reverted. Time spent in pauses, or waiting for people, windows, Freezes and other gates does not count. Default: no limit.',
  ),
  analysis: optional(
    object({
      successfulRunHistoryLimit: optional(integer(0, 1000)).describe(
        'How many successful AnalysisRuns, Experiments, Checks and Jobs Okra keeps, of each kind. Default: 5.',
      ),
      unsuccessfulRunHistoryLimit: optional(integer(0, 1000)).describe(
        'How many unsuccessful AnalysisRuns, Experiments, Checks and Jobs Okra keeps, of each kind. Default: 5.',
      ),
    }),
  ).describe('How many AnalysisRuns, Experiments, Checks and Jobs of earlier rollouts to keep.'),
  windows: optional(windows).describe(
    'When rollouts may move traffic. Outside these windows a rollout keeps its weights and waits for the next one. Taking traffic back never waits. Default: at any time.',
  ),
  updateStrategy: optional(updateStrategy).describe('How Okra rolls out a new version. Default: at once.'),
});

const spec = withRules(fields, cellRules);

/** A set of clusters behind one load balancer, replaced version by version. */
export const cell = defineResource({
  kind: 'Cell',
  plural: 'cells',
  singular: 'cell',
  shortNames: ['okcell'],
  description:
    'A Cell is a set of Kubernetes clusters behind one AWS load balancer. When target groups of a newer version appear, Okra moves the traffic to them step by step, and shifts it back when a check fails.',
  watched: 'Always',
  workflow: { does: 'Own', type: 'cellRollout', idPrefix: 'cell', bearsCellName: true },
  verbs: ['get', 'create', 'patch', 'delete'],
  isReported: true,
  spec,
  status: cellStatus,
  rules: nameRules,
  printerColumns: [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Step', type: 'string', jsonPath: '.status.step' },
    {
      name: 'Canary',
      type: 'integer',
      jsonPath: '.status.canaryWeight',
      description: 'The weight of the canary.',
    },
    { name: 'Stable', type: 'string', jsonPath: '.status.stableVersion' },
    { name: 'Desired', type: 'string', jsonPath: '.status.desiredVersion' },
    {
      name: 'Healthy',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="TargetsHealthy")].status',
      description: 'Whether each target group in the rule has a healthy target.',
    },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Message', type: 'string', jsonPath: '.status.message', priority: 1 },
  ],
});

/** A spec as people write it: with ingress or with applications. */
export type WrittenCellSpec = z.output<typeof spec>;
/** What a Cell with an ingress asks for. */
export type CellSpec = WrittenCellSpec & { readonly ingress: NonNullable<WrittenCellSpec['ingress']> };
/** What a Cell with applications asks for. */
export type ApplicationsSpec = WrittenCellSpec & {
  readonly clusters: NonNullable<WrittenCellSpec['clusters']>;
  readonly applications: NonNullable<WrittenCellSpec['applications']>;
};
/** What a Cell's controller reports. */
export type CellStatus = z.output<typeof cellStatus>;
/** A Cell as the API server has it. */
export type Cell = Resource<WrittenCellSpec, CellStatus>;
/** One step of a canary rollout. */
export type CanaryStep = z.output<typeof step>;
/** An analysis: of a step, or in the background. */
export type AnalysisStep = z.output<typeof analysisStep>;
/** The analysis in the background of the steps. */
export type BackgroundAnalysis = z.output<typeof backgroundAnalysis>;
/** The experiment of a step. */
export type ExperimentStep = z.output<typeof experimentStep>;
