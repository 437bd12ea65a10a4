import { enum as choice, object, optional, record, string, union, z } from 'zod';
import { analysisStep, backgroundAnalysis } from './analysis.ts';
import {
  atomicList,
  duration,
  durationOrSeconds,
  integer,
  listOf,
  nonEmpty,
  objectName,
  secretRef,
} from './common.ts';
import { keysOf, requireOneKind, withRules } from './rules.ts';
import { BRIEF } from './structural-schema.ts';
import { experimentStep } from './experiment.ts';
import { analysisOfCell } from './check-analysis.ts';

const stepName = (unlessNamed: string, what: string) => objectName(40, what).default(unlessNamed);

const checkStep = object({
  name: stepName('check', 'Checks are').describe(
    'Part of the names of the Checks, with the name of the Cell. Default: check.',
  ),
  analysis: analysisOfCell
    .meta({ ...analysisOfCell.meta(), [BRIEF]: true })
    .describe(
      'What to measure, and what passes: as in a Check (kubectl explain check.spec.analysis), with variables in the queries.',
    ),
});

export type CheckStep = z.output<typeof checkStep>;

const quantity = union([z.int(), nonEmpty(32)]).meta({
  'x-kubernetes-int-or-string': true,
  maxLength: 32,
  minLength: 1,
});

// Which there are domain/rollout/measure/job.ts says; it would be long here.
const amounts = record(string(), quantity);

const id = optional(integer(1, 2_147_483_647));

/**
 * What a pod of Okra's runs. It has no service account, volumes, labels, host namespaces or references to Secrets and
 * ConfigMaps, so that nobody gets by a Cell what they could not have read or done themselves.
 */
const pod = object({
  image: nonEmpty(512).describe('The image to run.'),
  command: optional(listOf(string().max(4096), 32)).describe(
    'The command to run. Default: the entrypoint of the image.',
  ),
  args: optional(listOf(string().max(4096), 64)).describe('The arguments of the command.'),
  env: optional(
    atomicList(
      object({
        name: nonEmpty(253).describe('The name of the variable.'),
        value: string().max(4096).default('').describe('The value.'),
      }),
      64,
    ),
  ).describe(
    'Environment variables, besides OKRA_NAMESPACE, OKRA_CELL, OKRA_ROLLOUT and OKRA_VERSION, which Okra sets.',
  ),
  resources: optional(
    object({
      requests: optional(amounts).describe('How much cpu, memory and ephemeral-storage to reserve.'),
      limits: optional(amounts).describe('How much of these the pod may use.'),
    }),
  ).describe('The resources of the pod.'),
  imagePullSecrets: optional(atomicList(secretRef, 5)).describe('The Secrets to pull the image with.'),
  securityContext: optional(
    object({
      runAsUser: id.describe('The user id. Default: that of the image, which must not be root.'),
      runAsGroup: id.describe('The group id. Default: that of the image.'),
    }),
  ).describe('The user and group that the pod runs as.'),
});

const fields = {
  template: object({ spec: pod.describe('The pod, with one container.') }).describe(
    'The pod template of the Job.',
  ),
  backoffLimit: integer(0, 10)
    .default(0)
    .describe('How many times to retry the pod after a failure. Default: 0.'),
  timeout: duration
    .default('10m')
    .describe('How long the Job may take, including retries, for example 90s or 1h. Default: 10m.'),
};

export const jobSpec = object(fields);

export const jobStep = object({
  name: stepName('job', 'the Job is').describe(
    'Part of the name of the Job, with the name of the Cell. Default: job.',
  ),
  ...fields,
});

export type JobSpec = z.output<typeof jobSpec>;
export type JobStep = z.output<typeof jobStep>;

const approvalStep = object({
  groups: withRules(atomicList(nonEmpty(253), 20, 1), [
    {
      cel: "!self.exists(group, group == 'system:masters')",
      message:
        'approval.groups must not contain system:masters, which Kubernetes allows everything without asking. Name a group of people.',
    },
  ]).describe('Kubernetes groups; an approver must be in at least one of them.'),
  count: integer(1, 10).default(1).describe('How many different people must approve. Default: 1.'),
  timeout: optional(duration).describe(
    'How long the step waits before it fails. Default: until it is approved or aborted.',
  ),
  message: optional(nonEmpty(1024)).describe('What approvers should look at.'),
});

const pauseStep = object({
  duration: optional(durationOrSeconds).describe(
    'How long, for example 30 (seconds), 5s, 10m or 1h30m. Default: until you resume the rollout.',
  ),
});

/** The kinds of steps; what becomes of each stands in domain/steps. */
const stepKinds = {
  setWeight: optional(integer(0, 100)).describe(
    'The total weight of the canary target groups from this step on: 0 to 100.',
  ),
  stepWeight: optional(integer(1, 100)).describe(
    'How much to add to the total weight of the canary target groups: 1 to 100.',
  ),
  pause: optional(pauseStep).describe('Holds the rollout at its weight.'),
  analysis: optional(analysisStep).describe('Runs an Argo Rollouts analysis, which must be successful.'),
  experiment: optional(experimentStep).describe(
    'Runs pods and analyses as an Argo Rollouts Experiment, which must be successful.',
  ),
  check: optional(checkStep).describe('Okra measures a metric in a Check, which must be successful.'),
  job: optional(jobStep).describe('Runs a Job in the namespace of the Cell, which must succeed.'),
  approval: optional(approvalStep).describe('Holds the rollout at its weight until people approve.'),
};

export const step = withRules(object(stepKinds), [requireOneKind('steps', keysOf(stepKinds))]);

const steps = withRules(atomicList(step, 100), [
  {
    cel: '!(self.exists(s, has(s.setWeight)) && self.exists(s, has(s.stepWeight)))',
    message: 'steps must not mix setWeight and stepWeight. Use one of the two in all steps.',
  },
  {
    cel: 'self.map(s, has(s.stepWeight) ? s.stepWeight : 0).sum() <= 100',
    message: 'The stepWeights of steps must add up to at most 100. Lower some of them.',
  },
]);

/** What becomes of a rollout when something that it measures fails. */
const onFailure = choice(['Rollback', 'Hold']);

const canary = withRules(
  object({
    steps: optional(steps).describe(
      'The steps, in order. After the last one, the new version gets all traffic.',
    ),
    onFailure: optional(onFailure).describe(
      'What happens when an analysis, experiment, check, job or approval fails. Rollback: Okra shifts all traffic back and blocks the version. Hold: the weights stay until you send retry, promote or abort; if an approval is late, approve or abort. Default: Rollback.',
    ),
    analysis: optional(backgroundAnalysis).describe(
      'An analysis in the background of the steps. It starts at one of them and ends after the last. If it fails, Okra shifts all traffic back at once, unless onFailure is Hold.',
    ),
  }),
  [
    {
      cel: '!has(self.analysis) || (has(self.steps) && self.analysis.startingStep < size(self.steps))',
      message:
        'canary.analysis.startingStep must be the index of one of the steps, from 0; otherwise the analysis would never start. Lower it, or add steps.',
    },
  ],
);

const blueGreenStepKinds = {
  analysis: optional(analysisStep).describe('Runs an Argo Rollouts analysis, which must be successful.'),
  pause: optional(pauseStep).describe('Holds the rollout.'),
  check: optional(checkStep).describe('Okra measures a metric in a Check, which must be successful.'),
  job: optional(jobStep)
    .meta({ [BRIEF]: true })
    .describe('Runs a Job, as in canary.steps, which must succeed.'),
  approval: optional(approvalStep).describe('Holds the rollout until people approve.'),
  promote: optional(object({})).describe('Shifts all traffic to the new version in one write.'),
};

const blueGreenStep = withRules(object(blueGreenStepKinds), [
  requireOneKind('blueGreen.steps', keysOf(blueGreenStepKinds)),
]);

const blueGreenSteps = withRules(atomicList(blueGreenStep, 20), [
  {
    cel: 'self.size() == 0 || self.exists_one(s, has(s.promote))',
    message:
      'blueGreen.steps must have exactly one promote, which shifts the traffic to the new version. Add one, or remove the others.',
  },
]);

const bake = object({
  duration: duration.describe('How long, for example 30m or 2h; with an analysis, from its start.'),
  analysis: optional(analysisStep).describe(
    'An Argo Rollouts analysis that runs during the bake. If it fails, Okra shifts all traffic back in one write.',
  ),
});

export const updateStrategy = withRules(
  object({
    type: choice(['Canary', 'BlueGreen'])
      .default('Canary')
      .describe(
        'How Okra rolls out a new version: Canary, in steps that move weight, or BlueGreen, in one switch.',
      ),
    canary: optional(canary).describe('The settings of a canary rollout.'),
    blueGreen: optional(
      object({
        steps: optional(blueGreenSteps).describe('The steps, in order. Default: promote at once.'),
        onFailure: optional(onFailure).describe('What happens when a step fails, as in canary.'),
      }),
    ).describe('The settings of a blue-green rollout.'),
    bake: optional(bake).describe(
      'Watches the new version after it has all traffic. Until the bake ends, the old target groups stay at weight 0, so that one write shifts all traffic back.',
    ),
    detachAfter: optional(duration).describe(
      'How long the old target groups stay in the rule at weight 0 after a rollout, still health-checked, so that one write shifts the traffic back. One without a healthy target is removed at once. Default: 10m.',
    ),
    rollbackWindow: optional(object({ duration: duration.describe('How long, for example 24h.') })).describe(
      'How long after a version was replaced spec.version swaps it in again at once. Later, it takes the steps of a new version. Default: for ever.',
    ),
  }),
  [
    {
      cel: "self.type != 'BlueGreen' || !has(self.canary)",
      message:
        'updateStrategy.canary must not be set, because updateStrategy.type is BlueGreen. Move its steps to blueGreen.steps (analysis, pause, promote), or set the type to Canary.',
    },
    {
      cel: "self.type != 'Canary' || !has(self.blueGreen)",
      message:
        'updateStrategy.blueGreen must not be set, because updateStrategy.type is Canary. Remove the block, or set the type to BlueGreen.',
    },
  ],
);
