import { enum as choice, object, optional } from 'zod';
import { analysisStep, backgroundAnalysis } from './analysis.ts';
import { checkStep } from './check-step.ts';
import { duration, durationOrSeconds, integer, listOf, nonEmpty } from './common.ts';
import { experimentStep } from './experiment.ts';
import { jobStep } from './job-step.ts';
import { exactlyOneOf, keysOf, withRules } from './rules.ts';

/** The approvals that a step waits for. */
export const approvalStep = object({
  groups: withRules(listOf(nonEmpty(253), 20, 1), [
    {
      cel: "!self.exists(group, group == 'system:masters')",
      message:
        'approval.groups must not contain system:masters, which Kubernetes allows everything without asking. Name a group of people.',
      holds: (groups) => !groups.includes('system:masters'),
    },
  ])
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('Kubernetes groups; an approver must be in at least one of them.'),
  count: integer(1, 10).default(1).describe('How many different people must approve. Default: 1.'),
  timeout: optional(duration).describe(
    'How long the step waits before it fails. Default: until it is approved or aborted.',
  ),
  message: optional(nonEmpty(1024)).describe('What approvers should look at.'),
});

/** The kinds of steps; what becomes of each stands in domain/steps. */
const stepKinds = {
  setWeight: optional(integer(0, 100)).describe(
    'The total weight of the canary target groups from this step on: 0 to 100.',
  ),
  stepWeight: optional(integer(1, 100)).describe(
    'How much to add to the total weight of the canary target groups: 1 to 100.',
  ),
  pause: optional(
    object({
      duration: optional(durationOrSeconds).describe(
        'How long, for example 30 (seconds), 5s, 10m or 1h30m. Default: until you resume the rollout.',
      ),
    }),
  ).describe('Holds the rollout at its weight.'),
  analysis: optional(analysisStep).describe('Runs an Argo Rollouts analysis, which must be successful.'),
  experiment: optional(experimentStep).describe(
    'Runs pods and analyses as an Argo Rollouts Experiment, which must be successful.',
  ),
  check: optional(checkStep).describe('Okra measures a metric in a Check, which must be successful.'),
  job: optional(jobStep).describe('Runs a Job in the namespace of the Cell, which must succeed.'),
  approval: optional(approvalStep).describe('Holds the rollout at its weight until people approve.'),
};

/** One step. */
export const step = withRules(object(stepKinds), [exactlyOneOf('steps', keysOf(stepKinds))]);

/** The steps of a canary rollout, in order. */
export const steps = withRules(listOf(step, 100), [
  {
    cel: '!(self.exists(s, has(s.setWeight)) && self.exists(s, has(s.stepWeight)))',
    message: 'steps must not mix setWeight and stepWeight. Use one of the two in all steps.',
    holds: (list) =>
      !(list.some((one) => one.setWeight !== undefined) && list.some((one) => one.stepWeight !== undefined)),
  },
  {
    cel: 'self.map(s, has(s.stepWeight) ? s.stepWeight : 0).sum() <= 100',
    message: 'The stepWeights of steps must add up to at most 100. Lower some of them.',
    holds: (list) => list.reduce((sum, one) => sum + (one.stepWeight ?? 0), 0) <= 100,
  },
]).meta({ 'x-kubernetes-list-type': 'atomic' });

/** What becomes of a rollout when something that it measures fails. */
export const onFailure = choice(['Revert', 'Hold']);

/** What a canary rollout does: its steps, and what is analysed in their background. */
export const canary = withRules(
  object({
    steps: optional(steps).describe(
      'The steps, in order. After the last one, the new version gets all traffic.',
    ),
    onFailure: optional(onFailure).describe(
      'What happens when an analysis, experiment, check, job or approval fails. Revert: Okra shifts all traffic back and blocks the version. Hold: the weights stay until you send retry, promote or abort; if an approval is late, approve or abort. Default: Revert.',
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
      holds: ({ analysis, steps: list = [] }) =>
        analysis === undefined || analysis.startingStep < list.length,
    },
  ],
);
