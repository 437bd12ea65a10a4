import { z } from 'zod';
import { durationOrSeconds } from './common.ts';
import { withRules } from './rules.ts';

const argument = withRules(
  z.object({
    name: z.string().min(1).max(253).describe('The name of the argument, as the template declares it.'),
    value: z.string().max(4096).optional().describe('The value itself.'),
    valueFrom: z
      .object({
        fieldRef: z
          .object({
            fieldPath: z
              .string()
              .min(1)
              .max(253)
              .describe('A path in the Cell that ends in a plain value, for example status.desiredVersion.'),
          })
          .describe('The field of the Cell that holds the value.'),
      })
      .optional()
      .describe('Where the value is read from when the analysis starts.'),
  }),
  [
    {
      cel: 'has(self.value) != has(self.valueFrom)',
      message:
        'Expected an analysis argument to have exactly one of value and valueFrom. Remove one, or add one.',
      holds: (arg) => (arg.value === undefined) !== (arg.valueFrom === undefined),
    },
  ],
);

/** The analysis of a step. */
export const analysisStep = z.object({
  templates: z
    .array(
      z.object({
        templateName: z
          .string()
          .min(1)
          .max(253)
          .describe('The name of the AnalysisTemplate, in the namespace of the Cell.'),
        clusterScope: z
          .boolean()
          .optional()
          .describe('Whether it is a ClusterAnalysisTemplate. Default: false.'),
      }),
    )
    .min(1)
    .max(10)
    .describe('The Argo Rollouts templates whose metrics make up the AnalysisRun.'),
  args: z.array(argument).max(64).optional().describe('The arguments for the templates.'),
});

/** The keys of a step; a step has exactly one of them. */
export const stepKinds = ['setWeight', 'stepWeight', 'pause', 'analysis'] as const;

/** One step. */
export const step = withRules(
  z.object({
    setWeight: z
      .int()
      .min(0)
      .max(100)
      .optional()
      .describe('The total weight of the canary target groups from here on: 0 to 100.'),
    stepWeight: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe('What is added to the total weight of the canary target groups: 1 to 100.'),
    pause: z
      .object({
        duration: durationOrSeconds
          .optional()
          .describe(
            'How long, for example 30 (seconds), 5s, 10m or 1h30m. Without it the rollout waits until somebody resumes it.',
          ),
      })
      .optional()
      .describe('Holds the rollout at its weight.'),
    analysis: analysisStep
      .optional()
      .describe('Runs an Argo Rollouts analysis and goes on only when it is successful.'),
  }),
  [
    {
      cel: '[has(self.setWeight), has(self.stepWeight), has(self.pause), has(self.analysis)].filter(x, x).size() == 1',
      message:
        'Expected each of steps to have exactly one of setWeight, stepWeight, pause and analysis. Write one step for each of them.',
      holds: (value) => stepKinds.filter((kind) => value[kind] !== undefined).length === 1,
    },
  ],
);

/** The steps of a canary rollout, in order. */
export const steps = withRules(z.array(step).max(100), [
  {
    cel: '!(self.exists(s, has(s.setWeight)) && self.exists(s, has(s.stepWeight)))',
    message:
      'Expected steps to use either setWeight or stepWeight, got both. Use one of the two in all steps.',
    holds: (list) =>
      !(list.some((one) => one.setWeight !== undefined) && list.some((one) => one.stepWeight !== undefined)),
  },
  {
    cel: 'self.map(s, has(s.stepWeight) ? s.stepWeight : 0).sum() <= 100',
    message: 'Expected the stepWeights of steps to add up to at most 100. Lower some of them.',
    holds: (list) => list.reduce((sum, one) => sum + (one.stepWeight ?? 0), 0) <= 100,
  },
]).meta({ 'x-kubernetes-list-type': 'atomic' });
