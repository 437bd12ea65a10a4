import { z } from 'zod';
import { analysisStep } from './analysis.ts';
import { eachNameOnce, objectName } from './cell-clusters.ts';
import { analysisOfCell } from './check-analysis.ts';
import { jobSpec } from './job-step.ts';
import { withRules } from './rules.ts';
import { BRIEF } from './structural-schema.ts';

const { templates, args } = analysisStep.shape;

const check = withRules(
  z.object({
    name: objectName(40, 'what measures is').describe(
      'The name of the check; Jobs, AnalysisRuns and Checks are named after it.',
    ),
    analysis: analysisOfCell
      .meta({ ...analysisOfCell.meta(), [BRIEF]: true })
      .optional()
      .describe(
        'Okra measures a metric, as in a Check (kubectl explain check.spec.analysis), with variables in the queries.',
      ),
    templates: templates
      .meta({ ...templates.meta(), [BRIEF]: true })
      .optional()
      .describe('Runs an Argo Rollouts analysis of these templates.'),
    args: args.meta({ [BRIEF]: true }).describe('The arguments for the templates.'),
    job: jobSpec
      .meta({ [BRIEF]: true })
      .optional()
      .describe('Runs a Job, as the job step of a Cell does.'),
  }),
  [
    {
      cel: '[has(self.analysis), has(self.templates), has(self.job)].filter(x, x).size() == 1',
      message:
        'Expected a check to have exactly one of analysis, templates and job. Write one check for each of them.',
      holds: (one) =>
        [one.analysis, one.templates, one.job].filter((kind) => kind !== undefined).length === 1,
    },
    {
      cel: '!has(self.args) || has(self.templates)',
      message:
        'Expected args with templates, which they are for, got args alone. Add templates, or remove args.',
      holds: (one) => one.args === undefined || one.templates !== undefined,
    },
  ],
);

/** Checks of an application: before, during or after its traffic moves. */
export const checksOf = (list: string) =>
  withRules(z.array(check).max(8), [eachNameOnce(list)]).meta({ 'x-kubernetes-list-type': 'atomic' });

/** A check of an application. */
export type ApplicationCheck = z.output<typeof check>;
