import { z } from 'zod';
import { analysisStep } from './analysis.ts';
import { approvalStep } from './approval-step.ts';
import { canary, onFailure } from './canary-steps.ts';
import { checkStep } from './check-step.ts';
import { duration, durationOrSeconds } from './common.ts';
import { jobStep } from './job-step.ts';
import { exactlyOneOf, keysOf, withRules } from './rules.ts';
import { BRIEF } from './structural-schema.ts';

const blueGreenStepKinds = {
  analysis: analysisStep
    .optional()
    .describe('Runs an Argo Rollouts analysis and goes on only when it is successful.'),
  pause: z
    .object({
      duration: durationOrSeconds
        .optional()
        .describe('How long, for example 30 (seconds), 5s, 10m or 1h30m. Without it: until someone resumes.'),
    })
    .optional()
    .describe('Holds the rollout.'),
  check: checkStep
    .optional()
    .describe('Measures a metric by Okra itself, and goes on only when it is successful.'),
  job: jobStep
    .optional()
    .meta({ [BRIEF]: true })
    .describe('Runs a Job, as in canary.steps, and goes on only when it is successful.'),
  approval: approvalStep.optional().describe('Holds the rollout until people have approved.'),
  promote: z.object({}).optional().describe('Gives the whole weight to the new version, by one write.'),
};

const blueGreenStep = withRules(z.object(blueGreenStepKinds), [
  exactlyOneOf('blueGreen.steps', keysOf(blueGreenStepKinds)),
]);

const blueGreenSteps = withRules(z.array(blueGreenStep).max(20), [
  {
    cel: 'self.size() == 0 || self.exists_one(s, has(s.promote))',
    message:
      'Expected blueGreen.steps to have exactly one promote, which gives the traffic to the new version. Add one, or remove the others.',
    holds: (list) => list.length === 0 || list.filter((one) => one.promote !== undefined).length === 1,
  },
]).meta({ 'x-kubernetes-list-type': 'atomic' });

const bake = z.object({
  duration: duration.describe(
    'How long, for example 30m or 2h; with an analysis, from when that is started.',
  ),
  analysis: analysisStep
    .optional()
    .describe(
      'An Argo Rollouts analysis that runs meanwhile. When it fails, everything is taken back by one write.',
    ),
});

/** How a new version comes into service. */
export const updateStrategy = withRules(
  z.object({
    type: z
      .enum(['Canary', 'BlueGreen'])
      .default('Canary')
      .describe(
        'How a new version comes into service: Canary, by steps that move its weight, or BlueGreen, by one switch.',
      ),
    canary: canary.optional().describe('What a canary rollout does.'),
    blueGreen: z
      .object({
        steps: blueGreenSteps.optional().describe('The steps, in order. Default: promote at once.'),
        onFailure: onFailure.optional().describe('What happens when a step fails, as in canary.'),
      })
      .optional()
      .describe('What a blue-green rollout does.'),
    bake: bake
      .optional()
      .describe(
        'Keeps watching after the new version has the whole weight. Until it is over the old target groups stay at weight 0, and one write takes everything back.',
      ),
    detachAfter: duration
      .optional()
      .describe(
        'How long the target groups that serve no more stay in the rule at weight 0 after the end of a rollout, so that going back is one write to groups that were checked all the time. One without a healthy target leaves at once. Default: 10m.',
      ),
    rollbackWindow: z
      .object({ duration: duration.describe('How long, for example 24h.') })
      .optional()
      .describe(
        'For how long after a version was replaced spec.version swaps it in again at once. Later it takes the steps like a new one. Default: for ever.',
      ),
  }),
  [
    {
      cel: "self.type != 'BlueGreen' || !has(self.canary)",
      message:
        'Expected no canary block, because updateStrategy.type is BlueGreen. Move its steps to blueGreen.steps (analysis, pause, promote), or set the type to Canary.',
      holds: (value) => value.type !== 'BlueGreen' || value.canary === undefined,
    },
    {
      cel: "self.type != 'Canary' || !has(self.blueGreen)",
      message:
        'Expected no blueGreen block, because updateStrategy.type is Canary. Remove the block, or set the type to BlueGreen.',
      holds: (value) => value.type !== 'Canary' || value.blueGreen === undefined,
    },
  ],
);
