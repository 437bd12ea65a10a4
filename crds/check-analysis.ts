import { enum as choice, number, object, optional } from 'zod';
import { compareOfCell, compareOfCheck, query, provider } from './check-providers.ts';
import { duration, integer, nonEmpty } from './common.ts';
import { celHasAny, requireAnyOf, requirePattern, type Rule, withRules } from './rules.ts';

const EXPRESSION_PATTERN = '^[A-Za-z0-9_ .+*/%()<>=!&|?:-]+$';

const expression = (what: string) =>
  withRules(nonEmpty(512), [
    requirePattern(
      EXPRESSION_PATTERN,
      'must be a CEL expression of numbers, value, baseline and samples, for example "value <= 0.01 || samples < 100.0", without quotes and brackets. Correct it.',
    ),
  ]).describe(what);

const someTime = (what: string, fallback: string) =>
  duration.default(fallback).describe(`${what} Default: ${fallback}.`);

const limit = (what: string) => optional(integer(0, 1000)).describe(what);

const fields = {
  provider: optional(provider).describe(
    'The metric provider: datadog, cloudWatch or prometheus. Default: Datadog.',
  ),
  query: optional(query).describe(
    'The query: Datadog (API v1), an expression over CloudWatch metrics, or PromQL. In a Cell it can use variables such as {{.Vars.targetGroupARN}}.',
  ),
  aggregator: choice(['avg', 'min', 'max', 'sum', 'last']).describe(
    'How the points of a window become the value that Okra judges: avg, min, max, sum or last.',
  ),
  interval: someTime('The time between two samples.', '10s'),
  initialDelay: optional(duration).describe(
    'How long Okra waits after the start before it measures. Default: 0s.',
  ),
  window: someTime('The time range of a sample.', '5m'),
  bucket: someTime('The time range of one point. Windows begin and end with a bucket.', '1m'),
  lag: someTime(
    'How long data takes to arrive. A window ends at least this long before Okra measures it.',
    '1m',
  ),
  alignTo: optional(choice(['step', 'none'])).describe(
    'step: no window begins before the step, or before the start of the Check, so the first sample waits for a whole window. Default: step in a Cell, none in a Check.',
  ),
  count: optional(integer(1, 1000)).describe(
    'How many samples Okra evaluates before the Check is successful. Default: 1 in a Cell; without it, a Check measures without end.',
  ),
  failureLimit: limit('How many samples may fail. Default: 0.'),
  consecutiveSuccess: optional(integer(1, 1000)).describe(
    'How many samples in a row must pass, in addition to count. Default: no minimum.',
  ),
  inconclusiveLimit: limit('How many samples may be inconclusive. Default: 0.'),
  consecutiveErrorLimit: limit(
    'How many times in a row the provider may fail to answer. An error is not a sample. Default: 4.',
  ),
  min: optional(number()).describe('The lowest value that passes.'),
  max: optional(number()).describe('The highest value that passes.'),
  pass: optional(
    expression(
      'Which values pass, in CEL over doubles: value, with compare also baseline, with minSamples also samples.',
    ),
  ),
  fail: optional(
    expression(
      'Which values fail, in CEL over the same doubles. With pass and fail, a value that matches neither is inconclusive.',
    ),
  ),
  noData: choice(['pass', 'fail', 'inconclusive', 'extend'])
    .default('inconclusive')
    .describe(
      'The result of a window without data: pass, fail, inconclusive, or extend, which measures again for at most maxExtend. Default: inconclusive.',
    ),
  maxExtend: someTime(
    'How long noData: extend waits for data. After that, the sample is inconclusive.',
    '10m',
  ),
  minSamples: optional(
    object({
      query: query.describe(
        'A query to the same provider that counts the traffic. Okra adds up its points over the window.',
      ),
      atLeast: integer(1).describe('The least traffic that a sample needs.'),
      maxExtend: someTime(
        'How long Okra waits for more traffic. After that, the sample is inconclusive.',
        '10m',
      ),
    }),
  ).describe(
    'How much traffic a sample needs. With less, it neither passes nor fails, and Okra measures again.',
  ),
  groupBy: optional(
    object({
      judge: choice(['worst', 'all']).describe(
        'worst judges the worst group and ignores groups without data; all requires data from each group, and each to pass.',
      ),
      cap: integer(1, 100)
        .default(100)
        .describe('The largest number of groups; more are an error. Default: 100.'),
    }),
  ).describe('Judges an answer with several groups. Without it, an answer must have one series.'),
};

const rules: readonly Rule[] = [
  {
    cel: "self.interval.matches('[1-9]') && self.window.matches('[1-9]') && self.bucket.matches('[1-9]')",
    message: 'interval, window and bucket must be longer than 0s. Correct them.',
  },
  requireAnyOf(
    ['min', 'max', 'pass', 'fail', 'compare'],
    'An analysis must have at least one of min, max, pass, fail and compare. Add one of them.',
  ),
  {
    cel: '!(has(self.min) || has(self.max)) || !(has(self.pass) || has(self.fail))',
    message: 'min and max must not be combined with pass and fail. Write the bounds into the expressions.',
  },
  {
    cel: '!has(self.min) || !has(self.max) || self.min <= self.max',
    message: 'min must be at most max; otherwise nothing would pass. Correct them.',
  },
  {
    cel: '(has(self.query) && self.query.size() > 0) != (has(self.provider) && has(self.provider.datadog) && has(self.provider.datadog.queries)) || (has(self.provider) && has(self.provider.cloudWatch) && has(self.provider.cloudWatch.metrics))',
    message:
      'An analysis must have query, provider.datadog.queries or provider.cloudWatch.metrics, and not both query and provider.datadog.queries. Add one, or remove one.',
  },
  {
    cel: '!has(self.provider) || !has(self.provider.cloudWatch) || !has(self.provider.cloudWatch.metrics) || has(self.query) || size(self.provider.cloudWatch.metrics) == 1',
    message:
      'query is required with two or more CloudWatch metrics, to combine them, for example "100 * errors / requests". Add it.',
  },
];

/** What a step of a Cell measures: its queries may have variables. */
export const analysisOfCell = withRules(
  object({
    ...fields,
    compare: optional(compareOfCell).describe('Compares the canary with the stable side in the same window.'),
  }),
  rules,
);

const NEEDS_COUNT = [
  'failureLimit',
  'consecutiveSuccess',
  'inconclusiveLimit',
  'consecutiveErrorLimit',
] as const;

/** What a Check measures: its queries are sent as they are. */
export const analysisOfCheck = withRules(
  object({
    ...fields,
    compare: optional(compareOfCheck).describe('Compares with the stable side in the same window.'),
  }),
  [
    ...rules,
    {
      cel: `has(self.count) || !(${celHasAny(NEEDS_COUNT)})`,
      message: `count is required with ${NEEDS_COUNT.slice(0, -1).join(', ')} or ${NEEDS_COUNT.at(-1)}: without count a Check has no verdict. Add it, or remove the limit.`,
    },
  ],
);
