import { boolean, enum as choice, object, optional, union, type z } from 'zod';
import { atomicList, conditions, duration, integer, listOf, nonEmpty } from './common.ts';
import { clusterSelectors, downsyncClause } from './downsync.ts';
import { defineResource, type Resource } from './resource.ts';
import { withRules } from './rules.ts';
import { stagedStatusFields } from './staged-status.ts';
import { windows } from './windows.ts';

/** A number of clusters, or a share of those of the stage. */
const amount = (least: 0 | 1, field: string) => {
  const pattern = least === 0 ? '^(100|[0-9]{1,2})%$' : '^(100|[1-9][0-9]?)%$';
  return withRules(
    union([integer(least, 10_000), nonEmpty(4)]).meta({ 'x-kubernetes-int-or-string': true, maxLength: 4 }),
    [
      {
        cel: `type(self) == int ? self >= ${least} && self <= 10000 : self.matches('${pattern}')`,
        message: `${field} must be a whole number from ${least} to 10000 or a percentage such as 25%, from ${least}% to 100%. Correct it.`,
        holds: (value) => typeof value === 'number' || new RegExp(pattern).test(value),
      },
    ],
  );
};

/** How a stage reaches its clusters one after the other (Progressive of Open Cluster Management's RolloutStrategy). */
const progressive = object({
  maxConcurrency: optional(amount(1, 'maxConcurrency')).describe(
    'How many clusters may be in progress at once: a number, or a percentage of the clusters of the stage, rounded up. Default: all.',
  ),
  maxFailures: optional(amount(0, 'maxFailures')).describe(
    'How many clusters may fail (exceed progressDeadline): a number, or a percentage of the clusters of the stage, rounded up. When more fail, Okra starts no others. Default: 0.',
  ),
  progressDeadline: optional(duration).describe(
    'How long a cluster may take to fulfil the stage. Default: no limit.',
  ),
  minSuccessTime: optional(duration).describe(
    'How long a cluster must fulfil the stage before another takes its place. Default: 0s.',
  ),
  clusterLabel: optional(nonEmpty(317)).describe(
    'The label of ManagedClusters with the name of the cluster. BindingPolicies use it to select some of the clusters. Default: name.',
  ),
  clusterColumn: optional(nonEmpty(253)).describe(
    'The column of the StatusCollectors with inventory.name, which tells the rows of the clusters apart. Default: cluster.',
  ),
});

/** The API group of StagedBindingPolicy. */
const COMMUNITY_GROUP = 'community.kubestellar.io';

const NAME_PATTERN = '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$';

const stageName = withRules(nonEmpty(22), [
  {
    cel: `self.matches('${NAME_PATTERN}')`,
    message:
      'The name of a stage must have only lower-case letters, digits and hyphens, because it is part of the name of a BindingPolicy. Correct it.',
    holds: (text) => new RegExp(NAME_PATTERN).test(text),
  },
]);

const MOST_STAGES = 16;

const expression = nonEmpty(4096);

const cell = object({
  namespace: nonEmpty(63).describe('The namespace of the Cell.'),
  name: nonEmpty(253).describe('The name of the Cell.'),
  version: optional(nonEmpty(67)).describe('The version that the Cell must serve. Default: any.'),
});

const stage = withRules(
  object({
    name: stageName.describe('The name of the stage; its BindingPolicy is named <policy>-<stage>.'),
    clusterSelectors: clusterSelectors.describe(
      'The clusters of the stage, as in a BindingPolicy: those that match any of the selectors.',
    ),
    filter: optional(expression).describe(
      'CEL over downsyncClause, an object as the Binding lists it: whether the stage looks at the status of the object. KubeStellar syncs all objects regardless. Default: the stage looks at all.',
    ),
    condition: optional(expression).describe(
      'CEL over obj (or combinedStatus), the CombinedStatus of one object: whether the object fulfils the stage. The stage is fulfilled when all objects fulfil it. Without a condition, only promote ends the stage.',
    ),
    approval: choice(['Automatic', 'Manual'])
      .default('Automatic')
      .describe(
        'Once this stage is fulfilled, the next one begins automatically (Automatic), or when you send promote (Manual). Default: Automatic.',
      ),
    soak: optional(duration).describe(
      'How long the stage must stay fulfilled without a change of its objects or clusters. Default: 0s.',
    ),
    timeout: optional(duration).describe('How long the stage may take to be fulfilled. Default: no limit.'),
    onTimeout: optional(choice(['Hold', 'RollBack'])).describe(
      'What happens after the timeout, or after too many failures. Hold: the stage stays as it is until a person decides. RollBack: Okra deletes its BindingPolicy and returns to the previous stage; a stage whose clusters may already have had the workload is held instead. Default: Hold.',
    ),
    progressive: optional(progressive).describe(
      'Rolls the stage out to a few clusters at a time, and evaluates the condition for each cluster separately. Fields that are not set default to spec.progressive. Default: all clusters at once.',
    ),
    mandatory: optional(boolean()).describe(
      'Whether no cluster of the stage may fail, regardless of maxFailures. Default: false.',
    ),
    cell: optional(cell).describe(
      'A Cell that must be Ready for the stage to be fulfilled, so that workload and traffic move together.',
    ),
  }),
  [
    {
      cel: '!has(self.onTimeout) || has(self.timeout) || has(self.progressive)',
      message: 'onTimeout needs timeout or progressive. Add one of them, or remove onTimeout.',
      holds: ({ onTimeout, timeout, progressive: how }) =>
        onTimeout === undefined || timeout !== undefined || how !== undefined,
    },
    {
      cel: '!has(self.progressive) || has(self.condition)',
      message:
        'progressive needs a condition; without it no cluster would ever be done. Add the condition, or remove progressive.',
      holds: ({ progressive: how, condition }) => how === undefined || condition !== undefined,
    },
    {
      cel: '!(has(self.mandatory) && self.mandatory && has(self.progressive) && has(self.progressive.maxFailures))',
      message: 'progressive.maxFailures must not be set in a mandatory stage. Remove one of them.',
      holds: ({ progressive: how, mandatory }) => mandatory !== true || how?.maxFailures === undefined,
    },
  ],
);

const space = object({
  namespace: nonEmpty(63).describe('The namespace of the Secret.'),
  name: nonEmpty(253).describe('The name of the Secret.'),
  key: nonEmpty(253).default('kubeconfig').describe('The key with the kubeconfig. Default: kubeconfig.'),
});

const fields = object({
  downsync: atomicList(downsyncClause, 32, 1).describe(
    'The objects to sync in all stages, as in a BindingPolicy: those that match any of the clauses.',
  ),
  stages: listOf(stage, MOST_STAGES, 1)
    // The API server says so of a map by itself.
    .refine((stages) => new Set(stages.map(({ name }) => name)).size === stages.length, {
      message: 'Stage names in spec.stages must be unique. Rename one.',
    })
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
    .describe(
      'The stages, in order. A stage that has begun keeps its name, place and clusterSelectors; the others, and all other fields, can change.',
    ),
  stageRetention: choice(['Keep', 'Remove'])
    .default('Keep')
    .describe(
      'What happens to the BindingPolicy of an earlier stage. Keep: it stays, so that the clusters add up. Remove: Okra deletes it once the BindingPolicy of the next stage is bound. Default: Keep.',
    ),
  progressive: optional(progressive).describe(
    'Rolls every stage with a condition out to a few clusters at a time. Default: as each stage says.',
  ),
  space: optional(space).describe(
    'The Secret with the kubeconfig of the workload description space, where Okra creates BindingPolicies. Default: the cluster that Okra runs in.',
  ),
  windows: optional(windows).describe(
    'When the next stage may begin. Rolling back never waits. Default: at any time.',
  ),
});

const spec = withRules(fields, [
  {
    cel: 'has(self.space) == has(oldSelf.space) && (!has(self.space) || self.space == oldSelf.space)',
    message:
      'spec.space is immutable, because the BindingPolicies created there would be left behind. Delete the StagedBindingPolicy and create it again.',
    // Only the API server knows what it was before.
    holds: () => true,
  },
  {
    cel: 'self.stages.size() == 1 || self.downsync.all(one, !has(one.wantSingletonReportedState) || !one.wantSingletonReportedState)',
    message:
      'wantSingletonReportedState must not be set in spec.downsync with several stages, because KubeStellar refuses it for objects in several clusters. Set wantMultiWECReportedState instead, or remove it.',
    holds: ({ stages, downsync }) =>
      stages.length === 1 || downsync.every((one) => one.wantSingletonReportedState !== true),
  },
]);

const status = object({ ...stagedStatusFields, conditions: optional(conditions) });

const LONGEST_NAME = 40;

const indexes = `[${Array.from({ length: MOST_STAGES }, (_, index) => index).join(', ')}]`;

/** The rule in CEL by which the stages up to the active one keep their places, names and clusters. */
const keepsBegunStages = [
  '!has(oldSelf.status) || !has(oldSelf.status.activeStage) || ',
  `${indexes}.filter(k, k < oldSelf.spec.stages.size() && oldSelf.spec.stages[k].name == oldSelf.status.activeStage)`,
  `.all(k, ${indexes}.all(i, i > k || (i < self.spec.stages.size() && `,
  'self.spec.stages[i].name == oldSelf.spec.stages[i].name && ',
  'self.spec.stages[i].clusterSelectors == oldSelf.spec.stages[i].clusterSelectors)))',
].join('');

/** Places one workload stage by stage: a BindingPolicy of KubeStellar for each stage, the next one when the stage is fulfilled. */
export const stagedBindingPolicy = defineResource({
  group: COMMUNITY_GROUP,
  kind: 'StagedBindingPolicy',
  plural: 'stagedbindingpolicies',
  singular: 'stagedbindingpolicy',
  shortNames: ['sbp'],
  description:
    'A StagedBindingPolicy places a workload on clusters stage by stage. For each stage Okra creates a KubeStellar BindingPolicy, and begins the next stage when the CombinedStatuses of the objects fulfil the condition of the current one.',
  scope: 'Cluster',
  watched: 'Optional',
  verbs: ['get', 'patch'],
  isReported: true,
  workflow: { does: 'Own', type: 'stagedBinding', idPrefix: 'staged-binding-policy' },
  spec,
  status,
  rules: [
    {
      cel: `size(self.metadata.name) <= ${LONGEST_NAME}`,
      message: `The name must have at most ${LONGEST_NAME} characters, because KubeStellar labels CombinedStatuses with it and the stage. Choose a shorter one.`,
      holds: ({ metadata }) => metadata.name.length <= LONGEST_NAME,
    },
    {
      cel: keepsBegunStages,
      message:
        'The stages up to status.activeStage have begun, so their order and clusterSelectors are immutable. Append stages, or send abort to roll back a stage first.',
      // Only the API server knows what it was before.
      holds: () => true,
    },
  ],
  printerColumns: [
    { name: 'Stage', type: 'string', jsonPath: '.status.activeStage' },
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    { name: 'Fulfilled', type: 'string', jsonPath: '.status.fulfilled' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Message', type: 'string', jsonPath: '.status.message', priority: 1 },
  ],
});

/** What a StagedBindingPolicy says. */
export type StagedBindingPolicySpec = z.output<typeof spec>;
/** One of its stages. */
export type Stage = StagedBindingPolicySpec['stages'][number];
/** What is reported of a StagedBindingPolicy. */
export type StagedBindingPolicyStatus = z.output<typeof status>;
/** A StagedBindingPolicy as the API server has it. */
export type StagedBindingPolicy = Resource<StagedBindingPolicySpec, StagedBindingPolicyStatus>;
