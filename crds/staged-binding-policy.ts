import { boolean, enum as choice, object, optional, record, string, union, type z } from 'zod';
import {
  asked,
  atomicList,
  conditions,
  duration,
  integer,
  labelSelectorRequirement,
  listOf,
  nonEmpty,
  observedGeneration,
  statusWriter,
  timestamp,
} from './common.ts';
import { defineResource, type Resource } from './resource.ts';
import { celHasAny, requirePattern, requireWith, withRules } from './rules.ts';
import { windows } from './windows.ts';

// KubeStellar's own schema has no bounds; these keep one object within what the API server stores.
const names = (most: number, longest = 253) => optional(listOf(string().max(longest), most));

const labelValue = string().max(63);

/** A label selector as KubeStellar takes it; what it refuses it says in the status of the Binding. */
const selector = object({
  matchLabels: optional(record(string(), labelValue)).describe(
    'Labels that it must have, with exactly these values.',
  ),
  matchExpressions: optional(listOf(labelSelectorRequirement, 16)).describe(
    'Expressions over labels; all of them must match.',
  ),
});

const selectors = listOf(selector, 32);

/** Clusters by their labels; a cluster that any of them matches is one (BindingPolicy, spec.clusterSelectors). */
const clusterSelectors = selectors.min(1).meta({ 'x-kubernetes-list-type': 'atomic' });

const tests = [
  'apiGroup',
  'resources',
  'namespaces',
  'namespaceSelectors',
  'objectSelectors',
  'objectNames',
] as const;

/** What is synced, and how (DownsyncPolicyClause of control.kubestellar.io/v1alpha1): all that it says of an object must hold. */
const downsyncClause = withRules(
  object({
    apiGroup: optional(string().max(253)).describe(
      'The API group of the objects; empty for the core group. Default: any.',
    ),
    resources: names(64).describe('Kinds, as lower-case plurals, or * alone. Default: any.'),
    namespaces: names(256).describe(
      'The namespaces of the objects, or * alone, which also matches objects without one. Default: any.',
    ),
    namespaceSelectors: optional(selectors).describe(
      "Selectors over the labels of an object's namespace; any of them may match. Default: any.",
    ),
    objectSelectors: optional(selectors).describe(
      "Selectors over an object's labels; any of them may match. Default: any.",
    ),
    objectNames: names(256).describe('The names of the objects, or * alone. Default: any.'),
    createOnly: optional(boolean()).describe(
      'Whether to leave an object as it is in a cluster that already has it.',
    ),
    statusCollectors: names(32).describe('The StatusCollectors that report on the objects.'),
    wantSingletonReportedState: optional(boolean()).describe(
      'Whether to copy the status back into the object when exactly one cluster has it. Not with several stages.',
    ),
    wantMultiWECReportedState: optional(boolean()).describe(
      'Whether to combine the statuses from all clusters in the status of the object.',
    ),
  }),
  [
    {
      cel: celHasAny(tests),
      message: `Each of spec.downsync must have at least one of ${tests.join(', ')}. Specify which objects it selects.`,
    },
  ],
);

/** One clause of what is synced. */
export type DownsyncClause = z.output<typeof downsyncClause>;

const stageStatus = object({
  name: string().max(63).describe('The name of the stage.'),
  phase: choice([
    'Pending',
    'Binding',
    'Waiting',
    'Soaking',
    'Fulfilled',
    'TimedOut',
    'Passed',
    'RolledBack',
  ]).describe(
    'Pending: not begun. Binding: KubeStellar has not bound it yet. Waiting: not all objects fulfil it yet. Soaking: fulfilled, and must stay so. Fulfilled: waits for the next stage to begin; the last stage is done. TimedOut: not fulfilled in time. Passed: the next stage has begun. RolledBack: its BindingPolicy is deleted again.',
  ),
  since: timestamp.describe('When the stage entered this phase.'),
  startedAt: optional(timestamp).describe('When the stage began.'),
  completed: optional(boolean()).describe(
    'Whether the clusters of the stage may have been served before: it was passed, or was completed as the last one. If so, Okra does not roll it back by itself, even when it is late after an edit.',
  ),
  completedWith: optional(string().max(64)).describe(
    'A digest of the objects, their versions and the clusters that the last stage was completed with.',
  ),
  bindingPolicy: optional(string().max(253)).describe('The name of the BindingPolicy of the stage.'),
  objects: optional(integer(0)).describe('How many objects the stage looks at.'),
  fulfilled: optional(integer(0)).describe('How many of these objects fulfil the condition.'),
  firstUnfulfilled: optional(string().max(1024)).describe(
    'The first object that does not fulfil the condition: resource.group namespace/name.',
  ),
  reason: optional(string().max(4096)).describe('Why that object, or the stage, is not fulfilled.'),
  clusters: optional(
    object({
      of: integer(0).describe('How many clusters the stage selects.'),
      reached: integer(0).describe('How many of these clusters the rollout has reached.'),
      done: integer(0).describe('How many of the reached clusters fulfil the stage.'),
      failed: integer(0).describe('How many clusters have exceeded progressDeadline.'),
      failing: atomicList(string().max(253), 20).describe('The names of up to 20 of these clusters.'),
    }),
  ).describe('The progress of a progressive stage.'),
});

const request = object({
  action: string().max(64).describe('The request: pause, resume, promote, abort or retry.'),
  ...asked('Who asked.', 'When Okra received it.'),
});

const held = object({
  reason: choice(['Aborted', 'TimedOut', 'TooManyFailures']).describe('Why a person must decide.'),
  stage: string().max(63).describe('The stage that is held.'),
  by: optional(string().max(253)).describe('Who aborted it.'),
  to: optional(string().max(63)).describe('The stage to go back to, while that is in progress.'),
  message: string().max(4096).describe('What happened, in a sentence.'),
});

const status = object({
  observedGeneration,
  activeStage: optional(string().max(63)).describe('The name of the current stage.'),
  phase: optional(
    choice(['Waiting', 'Progressing', 'Paused', 'Completed', 'RollingBack', 'RolledBack', 'Failed']),
  ).describe('Waiting, Progressing, Paused, Completed, RollingBack, RolledBack or Failed.'),
  reason: optional(string().max(64)).describe('The reason for the phase, in one CamelCase word.'),
  message: optional(string().max(4096)).describe('The reason for the phase, in a sentence.'),
  fulfilled: optional(string().max(32)).describe(
    'How many of the objects of the active stage fulfil it: 2/3.',
  ),
  stages: optional(listOf(stageStatus, 32))
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
    .describe('The state of each stage.'),
  paused: optional(
    object({
      ...asked('Who asked.', 'When Okra received it.'),
    }),
  ).describe('The pause that holds it.'),
  held: optional(held).describe('Why the policy is held until a person sends promote or retry.'),
  requests: optional(atomicList(request, 20)).describe(
    'The last twenty requests of operators: who, what and why.',
  ),
  writer: statusWriter,
  lastSyncTime: optional(timestamp).describe('When Okra wrote this status.'),
  conditions: optional(conditions),
});

/** A number of clusters, or a share of those of the stage. */
const amount = (least: 0 | 1, field: string) => {
  const pattern = least === 0 ? '^(100|[0-9]{1,2})%$' : '^(100|[1-9][0-9]?)%$';
  return withRules(
    union([integer(least, 10_000), nonEmpty(4)]).meta({ 'x-kubernetes-int-or-string': true, maxLength: 4 }),
    [
      {
        cel: `type(self) == int ? self >= ${least} && self <= 10000 : self.matches('${pattern}')`,
        message: `${field} must be a whole number from ${least} to 10000 or a percentage such as 25%, from ${least}% to 100%. Correct it.`,
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
    'The column of the StatusCollectors with inventory.name, which distinguishes the rows of the clusters. Default: cluster.',
  ),
});

const COMMUNITY_GROUP = 'community.kubestellar.io';

const NAME_PATTERN = '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$';

const stageName = withRules(nonEmpty(22), [
  requirePattern(
    NAME_PATTERN,
    'The name of a stage must have only lower-case letters, digits and hyphens, because it is part of the name of a BindingPolicy. Correct it.',
  ),
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
    onTimeout: optional(choice(['Hold', 'Rollback'])).describe(
      'What happens after the timeout, or after too many failures. Hold: the stage stays as it is until a person decides. Rollback: Okra deletes its BindingPolicy and returns to the previous stage; a stage whose clusters may already have had the workload is held instead. Default: Hold.',
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
    requireWith(
      'onTimeout',
      ['timeout', 'progressive'],
      'onTimeout needs timeout or progressive. Add one of them, or remove onTimeout.',
    ),
    requireWith(
      'progressive',
      ['condition'],
      'progressive needs a condition; without it no cluster would ever be done. Add the condition, or remove progressive.',
    ),
    {
      cel: '!(has(self.mandatory) && self.mandatory && has(self.progressive) && has(self.progressive.maxFailures))',
      message: 'progressive.maxFailures must not be set in a mandatory stage. Remove one of them.',
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
  },
  {
    cel: 'self.stages.size() == 1 || self.downsync.all(one, !has(one.wantSingletonReportedState) || !one.wantSingletonReportedState)',
    message:
      'wantSingletonReportedState must not be set in spec.downsync with several stages, because KubeStellar refuses it for objects in several clusters. Set wantMultiWECReportedState instead, or remove it.',
  },
]);

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
    },
    {
      cel: keepsBegunStages,
      message:
        'The stages up to status.activeStage have begun, so their order and clusterSelectors are immutable. Append stages, or send abort to roll back a stage first.',
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
