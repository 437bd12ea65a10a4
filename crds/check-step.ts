import { object, type z } from 'zod';
import { nonEmpty } from './common.ts';
import { analysisOfCell } from './check-analysis.ts';
import { withRules } from './rules.ts';
import { BRIEF } from './structural-schema.ts';

const NAME_PATTERN = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';

/** The name of a step that objects are named after; `what` says which. */
export const stepName = (unlessNamed: string, what: string) =>
  withRules(nonEmpty(40), [
    {
      cel: `self.matches('${NAME_PATTERN}')`,
      message: `name must have only lower-case letters, digits and dashes, because ${what} named after it. Correct it.`,
      holds: (name) => new RegExp(NAME_PATTERN).test(name),
    },
  ]).default(unlessNamed);

/** The check of a step. */
export const checkStep = object({
  name: stepName('check', 'Checks are').describe(
    'Part of the names of the Checks, with the name of the Cell. Default: check.',
  ),
  analysis: analysisOfCell
    .meta({ ...analysisOfCell.meta(), [BRIEF]: true })
    .describe(
      'What to measure, and what passes: as in a Check (kubectl explain check.spec.analysis), with variables in the queries.',
    ),
});

/** The check of a step, as a Cell says it. */
export type CheckStep = z.output<typeof checkStep>;
