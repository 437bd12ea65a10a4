import { enum as choice, object, optional } from 'zod';
import { analysisStep } from './analysis.ts';
import { approvalStep, canary, onFailure } from './canary-steps.ts';
import { checkStep } from './check-step.ts';
import { duration, durationOrSeconds, listOf } from './common.ts';
import { jobStep } from './job-step.ts';
import { exactlyOneOf, keysOf, withRules } from './rules.ts';
import { BRIEF } from './structural-schema.ts';

const blueGreenStepKinds = {
  analysis: optional(analysisStep).describe('Runs an Argo Rollouts analysis, which must be successful.'),
  pause: optional(
    object({
      duration: optional(durationOrSeconds).describe(
        'How long, for example 30 (seconds), 5s, 10m or 1h30m. Default: until you resume the rollout.',
      ),
    }),
  ).describe('Holds the rollout.'),
  check: optional(checkStep).describe('Okra measures a metric in a Check, which must be successful.'),
  job: optional(jobStep)
    .meta({ [BRIEF]: true })
    .describe('Runs a Job, as in canary.steps, which must succeed.'),
  approval: optional(approvalStep).describe('Holds the rollout until people approve.'),
  promote: optional(object({})).describe('Shifts all traffic to the new version in one write.'),
};

const blueGreenStep = withRules(object(blueGreenStepKinds), [
  exactlyOneOf('blueGreen.steps', keysOf(blueGreenStepKinds)),
]);

const blueGreenSteps = withRules(listOf(blueGreenStep, 20), [
  {
    cel: 'self.size() == 0 || self.exists_one(s, has(s.promote))',
    message:
      'blueGreen.steps must have exactly one promote, which shifts the traffic to the new version. Add one, or remove the others.',
    holds: (list) => list.length === 0 || list.filter((one) => one.promote !== undefined).length === 1,
  },
]).meta({ 'x-kubernetes-list-type': 'atomic' });

const bake = object({
  duration: duration.describe('How long, for example 30m or 2h; with an analysis, from its start.'),
  analysis: optional(analysisStep).describe(
    'An Argo Rollouts analysis that runs during the bake. If it fails, Okra shifts all traffic back in one write.',
  ),
});

/** How a new version comes into service. */
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
      holds: (value) => value.type !== 'BlueGreen' || value.canary === undefined,
    },
    {
      cel: "self.type != 'Canary' || !has(self.blueGreen)",
      message:
        'updateStrategy.blueGreen must not be set, because updateStrategy.type is Canary. Remove the block, or set the type to BlueGreen.',
      holds: (value) => value.type !== 'Canary' || value.blueGreen === undefined,
    },
  ],
);
