import { groupARN } from './arns.ts';
import type { SetSample } from './sets.ts';

const plain = { query: 'avg:errors{*}', aggregator: 'avg' };
const of = (analysis: object): object => ({ analysis });
const bounded = (more: object): object => of({ ...plain, max: 0.1, ...more });
const datadog = (more: object): object => ({ provider: { datadog: more } });
const formula = {
  queries: [
    { name: 'errors', dataSource: 'metrics', query: 'sum:errors{*}.as_count()' },
    { name: 'hits', dataSource: 'apm_metrics', stat: 'hits', service: 'shop' },
    { name: 'lines', dataSource: 'logs', query: 'status:error', compute: { aggregation: 'count' } },
    { name: 'budget', dataSource: 'slo', sloId: 'abc', measure: 'slo_status' },
  ],
  formula: '100 * errors / hits',
};
const [first] = formula.queries;
const metric = {
  id: 'errors',
  namespace: 'AWS/ApplicationELB',
  metricName: 'HTTPCode_Target_5XX_Count',
  stat: 'Sum',
};
const cloudWatch = (more: object): object => ({ provider: { cloudWatch: more } });
const aboutGroup = (value: string): object => ({ ...metric, dimensions: [{ name: 'TargetGroup', value }] });
const compare = (more: object): object => ({
  compare: { to: 'stable', baselines: [{ query: 'q' }], ...more },
});

/** Checks, good and bad. */
export const checks: readonly SetSample[] = [
  ['a bound', bounded({})],
  [
    'a bound and all limits',
    bounded({
      count: 5,
      failureLimit: 1,
      consecutiveSuccess: 3,
      inconclusiveLimit: 1,
      consecutiveErrorLimit: 2,
    }),
  ],
  ['expressions', of({ ...plain, pass: 'value < 1', fail: 'value >= 2.0 || value < -1.0' })],
  ['a formula', of({ aggregator: 'avg', max: 1, ...datadog(formula) })],
  ['a scalar', of({ aggregator: 'sum', max: 1, ...datadog({ queries: [first], response: 'Scalar' }) })],
  ['another organisation', bounded(datadog({ site: 'datadoghq.eu', secretRef: { name: 'datadog' } }))],
  [
    'metric maths',
    of({
      ...plain,
      min: 1,
      query: '100 * errors',
      ...cloudWatch({ region: 'eu-west-1', metrics: [metric] }),
    }),
  ],
  ['one metric', of({ aggregator: 'sum', max: 1, ...cloudWatch({ metrics: [metric] }) })],
  [
    'the name of a target group',
    of({ aggregator: 'sum', max: 1, ...cloudWatch({ metrics: [aboutGroup('targetgroup/web/1')] }) }),
  ],
  [
    'the ARN of a target group as a dimension',
    of({ aggregator: 'sum', max: 1, ...cloudWatch({ metrics: [aboutGroup(groupARN('web'))] }) }),
    'targetGroupFullName',
  ],
  [
    'the variable with that ARN',
    of({ aggregator: 'sum', max: 1, ...cloudWatch({ metrics: [aboutGroup('{{ .Vars.targetGroupARN }}')] }) }),
    'targetGroupFullName',
  ],
  ['PromQL', bounded({ provider: { prometheus: { address: 'http://prometheus.monitoring:9090' } } })],
  ['a comparison', of({ ...plain, ...compare({ maxRatio: 1.5 }) })],
  [
    'traffic, groups and times',
    bounded({
      minSamples: { query: 'sum:hits{*}', atLeast: 100 },
      groupBy: { judge: 'worst' },
      window: '10m',
      lag: '2m',
      alignTo: 'step',
      noData: 'extend',
    }),
  ],
  ['no aggregator', of({ query: 'q', max: 1 }), 'aggregator'],
  ['no query', of({ aggregator: 'avg', max: 1 }), 'must have query'],
  ['nothing that passes', of(plain), 'at least one of min, max'],
  [
    'bounds and expressions',
    bounded({ pass: 'value < 1' }),
    'min and max must not be combined with pass and fail',
  ],
  ['a min above max', bounded({ min: 1 }), 'min must be at most max'],
  ['a text in an expression', of({ ...plain, pass: "'a'.matches('a+')" }), 'must be a CEL expression'],
  ['limits without count', bounded({ failureLimit: 1 }), 'count is required with failureLimit'],
  ['no interval', bounded({ interval: '0s' }), 'longer than 0s'],
  ['an interval that is none', bounded({ interval: '10 seconds' }), 'a duration such as'],
  [
    'several queries and no formula',
    of({ aggregator: 'avg', max: 1, ...datadog({ queries: formula.queries }) }),
    'datadog.formula',
  ],
  ['a formula without queries', bounded(datadog({ formula: 'a' })), 'datadog.queries'],
  ['query beside queries', bounded(datadog({ queries: [first] })), 'must have query'],
  [
    'logs of which nothing is computed',
    of({ aggregator: 'avg', max: 1, ...datadog({ queries: [{ name: 'a', dataSource: 'logs' }] }) }),
    'compute with logs',
  ],
  [
    'an unknown source',
    of({ aggregator: 'avg', max: 1, ...datadog({ queries: [{ name: 'a', dataSource: 'weather' }] }) }),
    'dataSource',
  ],
  [
    'a host that is no site of Datadog',
    bounded(datadog({ site: 'example.com', secretRef: { name: 'a' } })),
    'site',
  ],
  ['a site without keys of its own', bounded(datadog({ site: 'datadoghq.eu' })), 'datadog.secretRef'],
  [
    'two providers',
    bounded({ provider: { datadog: {}, prometheus: { address: 'http://a' } } }),
    'at most one of',
  ],
  [
    'metrics that nothing is made of',
    of({ aggregator: 'avg', max: 1, ...cloudWatch({ metrics: [metric, { ...metric, id: 'hits' }] }) }),
    'two or more CloudWatch metrics',
  ],
  [
    'a user for a role',
    bounded(cloudWatch({ roleARN: 'arn:aws:iam::111122223333:user/a' })),
    'the ARN of an IAM role',
  ],
  [
    'two bounds of a comparison',
    of({ ...plain, ...compare({ maxRatio: 1, maxDifference: 1 }) }),
    'maxRatio and maxDifference',
  ],
  [
    'targets that nobody knows',
    of({ ...plain, ...compare({ maxRatio: 1, normalise: 'perTarget' }) }),
    'targetGroupARNs',
  ],
  ['a value that is no number', bounded({ max: 'NaN' }), 'max'],
  ['too many groups', bounded({ groupBy: { judge: 'worst', cap: 10_000 } }), 'cap'],
  ['no analysis', {}, 'spec.analysis'],
];
