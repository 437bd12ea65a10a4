import { enum as choice, number, object, optional } from 'zod';
import { datadogQueries, queryText } from './check-datadog.ts';
import { cloudWatchMetrics } from './check-providers.ts';
import { atomicList, listOf, targetGroupARN } from './common.ts';
import { withRules, type Rule } from './rules.ts';

/** A query in the language of a provider. */
export const query = queryText(8192);

const targetGroups = optional(listOf(targetGroupARN, 5));

/** What the other side is asked, with its own variables filled in. */
const baseline = object({
  query: optional(query).describe('The query.'),
  queries: optional(datadogQueries).describe('The queries of Datadog.'),
  metrics: optional(cloudWatchMetrics).describe('The metrics of CloudWatch.'),
});

const comparison = {
  to: choice(['stable']).describe('What to compare with: the stable side, in the same window.'),
  normalise: optional(choice(['perTarget'])).describe(
    'perTarget divides the value of each side by its number of healthy targets. Default: no division.',
  ),
  maxRatio: optional(number().min(0)).describe('The largest ratio of the value to that of the other side.'),
  maxDifference: optional(number().min(0)).describe('How far the value may be above that of the other side.'),
};

interface Compared {
  readonly maxRatio?: number | undefined;
  readonly maxDifference?: number | undefined;
}

const oneBound: Rule<Compared> = {
  cel: 'has(self.maxRatio) != has(self.maxDifference)',
  message: 'compare must have exactly one of maxRatio and maxDifference. Remove one, or add one.',
  holds: ({ maxRatio, maxDifference }) => (maxRatio === undefined) !== (maxDifference === undefined),
};

/** How a step of a Cell compares. */
export const compareOfCell = withRules(object(comparison), [oneBound]);

/** How a Check compares: what a Cell has filled in, or someone has written. */
export const compareOfCheck = withRules(
  object({
    ...comparison,
    baselines: atomicList(baseline, 5, 1).describe(
      'The queries for the stable side. Of several, Okra takes the mean; with normalise, the sum.',
    ),
    targetGroupARNs: optional(
      object({
        canary: targetGroups.describe('The target groups of the side that is judged.'),
        stable: targetGroups.describe('The target groups of the other side.'),
      }),
    ).describe('The target groups whose healthy targets Okra counts, for normalise.'),
  }),
  [
    oneBound,
    {
      cel: '!has(self.normalise) || (has(self.targetGroupARNs) && has(self.targetGroupARNs.canary) && has(self.targetGroupARNs.stable))',
      message:
        'compare.normalise needs the canary and the stable target groups in compare.targetGroupARNs. Add them.',
      holds: ({ normalise, targetGroupARNs: of }) =>
        normalise === undefined || (of?.canary !== undefined && of.stable !== undefined),
    },
  ],
);
