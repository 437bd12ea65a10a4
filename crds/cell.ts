import { boolean, enum as choice, object, optional, string, type z } from 'zod';
import type { analysisStep, backgroundAnalysis } from './analysis.ts';
import { applicationsOfCell, clustersOfCell } from './application.ts';
import { type step, updateStrategy } from './update-strategy.ts';
import { cellStatus } from './cell-status.ts';
import { deletionPolicy, duration, integer, nonEmpty, phaseColumns } from './common.ts';
import type { experimentStep } from './experiment.ts';
import { defineResource, type Resource } from './resource.ts';
import {
  celCount,
  celHasAny,
  keysOf,
  requireEither,
  requireShownPattern,
  requireWith,
  type Rule,
  withRules,
} from './rules.ts';
import { windows } from './windows.ts';
import { ingressBlocks, loadBalancerBlocks } from './load-balancers.ts';

const APPLICATION = 'AWSApplicationLoadBalancer';
const NETWORK = 'AWSNetworkLoadBalancer';

const ingressFields = object({
  type: string()
    .max(64)
    .describe(`The kind of load balancer: ${keysOf(loadBalancerBlocks).join(' or ')}.`),
  ...ingressBlocks,
});

const types = keysOf(loadBalancerBlocks);
const blocks = keysOf(ingressBlocks);

/** Expects the block that belongs to a type, under one of the names that it may have. */
const blockExpected = (type: keyof typeof loadBalancerBlocks): Rule => {
  const names: readonly (typeof blocks)[number][] = loadBalancerBlocks[type];
  return {
    cel: `self.type != '${type}' || ${celHasAny(names)}`,
    message: `spec.ingress.${names[0] ?? ''} is required, because spec.ingress.type is ${type}. Add the block.`,
  };
};

/** The load balancer in front of a Cell: its type, and the one block that belongs to it. */
const ingress = withRules(ingressFields, [
  {
    cel: `self.type in [${types.map((type) => `'${type}'`).join(', ')}]`,
    message: `spec.ingress.type must be ${types.join(' or ')}. Correct the type.`,
    messageExpression: `'spec.ingress.type must be ${types.join(' or ')}, got ' + self.type + '. Correct the type.'`,
  },
  {
    cel: `${celCount(blocks)} <= 1`,
    message: `spec.ingress must have only one of ${blocks.join(' and ')}. Remove the one that spec.ingress.type does not name.`,
  },
  ...types.map(blockExpected),
  {
    cel: `self.type != '${APPLICATION}' || !has(self.awsApplicationLoadBalancer) || !self.awsApplicationLoadBalancer.listenerARN.contains(':listener/net/')`,
    message: `spec.ingress.awsApplicationLoadBalancer.listenerARN must be the ARN of a listener of an Application Load Balancer (listener/app/…), not of a Network Load Balancer. Correct the ARN, or set spec.ingress.type to ${NETWORK}.`,
  },
  {
    cel: `self.type != '${APPLICATION}' || !has(self.awsApplicationLoadBalancer) || has(self.awsApplicationLoadBalancer.listener)`,
    message: `spec.ingress.awsApplicationLoadBalancer.listener.rule is required, because spec.ingress.type is ${APPLICATION}. Add the rule, with a priority and a condition.`,
  },
  {
    cel: `self.type != '${NETWORK}' || !has(self.awsApplicationLoadBalancer) || !self.awsApplicationLoadBalancer.listenerARN.contains(':listener/app/')`,
    message: `listenerARN in spec.ingress must be the ARN of a listener of a Network Load Balancer (listener/net/…), because spec.ingress.type is ${NETWORK}. Correct the ARN, or set spec.ingress.type to ${APPLICATION}.`,
  },
  {
    cel: `self.type != '${NETWORK}' || !has(self.awsApplicationLoadBalancer) || !has(self.awsApplicationLoadBalancer.listener)`,
    message: `spec.ingress must have no listener block, because spec.ingress.type is ${NETWORK} and the weights are those of the default action. Remove it; awsNetworkLoadBalancer takes listener.forward.`,
  },
]);

// What only a Cell with applications has, and what only one with ingress has.
const OF_APPLICATIONS = ['clusters', 'parallel', 'onFailure', 'syncTimeout', 'rollbackDelay'] as const;
const OF_INGRESS = ['version', 'versionedBy', 'updateStrategy'] as const;

const listed = (fields: readonly string[]): string =>
  `${fields.slice(0, -1).join(', ')} and ${fields.at(-1)}`;

const LONGEST_LABEL_VALUE = 63;

const nameRules: readonly Rule[] = [
  {
    cel: `self.metadata.name.size() <= ${LONGEST_LABEL_VALUE}`,
    message: `metadata.name of a Cell must have at most ${LONGEST_LABEL_VALUE} characters, because it is the value of a label on its AnalysisRuns and Experiments. Choose a shorter name.`,
  },
  {
    cel: `!has(self.spec.applications) || self.spec.applications.all(a, self.metadata.name.size() + a.name.size() < ${LONGEST_LABEL_VALUE})`,
    message: `metadata.name of a Cell and the name of each application must have at most ${LONGEST_LABEL_VALUE - 1} characters together, because a Cell is named after both. Shorten one of them.`,
  },
];

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
  onFailure: optional(choice(['Rollback', 'Hold'])).describe(
    'With applications: Rollback rolls a failed application back, Hold leaves everything as it is until a person decides. Default: Rollback.',
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
    withRules(nonEmpty(63), [requireShownPattern(VERSION_PATTERN, EXPECTED_VERSION, CORRECT_VERSION)]),
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

const spec = withRules(fields, [
  requireEither(
    'ingress',
    'applications',
    'Exactly one of spec.ingress and spec.applications must be set. Keep one, or create two Cells.',
  ),
  {
    cel: 'has(self.applications) == has(oldSelf.applications)',
    message: 'A Cell cannot change between spec.ingress and spec.applications. Create a new Cell.',
  },
  {
    cel: '!has(self.ingress) || !has(oldSelf.ingress) || self.ingress.type == oldSelf.ingress.type',
    message:
      'spec.ingress.type is immutable, because the previous load balancer would be left with its current weights. Create a new Cell for the other one.',
  },
  requireWith(
    'applications',
    ['clusters'],
    'spec.clusters is required with spec.applications. List the clusters.',
  ),
  {
    cel: `has(self.applications) || !(${celHasAny(OF_APPLICATIONS)})`,
    message: `${listed(OF_APPLICATIONS)} are only allowed with spec.applications. Remove them.`,
  },
  {
    cel: `!has(self.applications) || !(${celHasAny(OF_INGRESS)})`,
    message: `${listed(OF_INGRESS)} are only allowed with spec.ingress; each application has its own updateStrategy. Remove them.`,
  },
  {
    cel: '!has(self.applications) || !has(self.clusters) || size(self.clusters) < 2 || self.applications.all(a, has(a.clusterSelector))',
    message:
      'Each of spec.applications must have a clusterSelector with two or more clusters. Add it, for example role: web.',
  },
  {
    cel: "!has(self.deletionPolicy) || self.deletionPolicy == 'Retain' || !has(self.ingress) || self.ingress.type != 'AWSNetworkLoadBalancer'",
    message:
      'spec.deletionPolicy must be Retain with AWSNetworkLoadBalancer, because its listener must have a default action. Remove it, and delete the listener yourself.',
  },
]);

export const cell = defineResource({
  kind: 'Cell',
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
  printerColumns: phaseColumns(
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
  ),
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
export type CellStatus = z.output<typeof cellStatus>;
export type Cell = Resource<WrittenCellSpec, CellStatus>;
export type CanaryStep = z.output<typeof step>;
export type AnalysisStep = z.output<typeof analysisStep>;
export type BackgroundAnalysis = z.output<typeof backgroundAnalysis>;
export type ExperimentStep = z.output<typeof experimentStep>;
