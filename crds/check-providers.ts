import { enum as choice, number, object, optional, type z } from 'zod';
import { atomicList, listOf, mapList, nonEmpty, secretRef, targetGroupARN } from './common.ts';
import {
  celCount,
  matching,
  requireEither,
  requirePattern,
  requireWith,
  templatePattern,
  withRules,
} from './rules.ts';
import { region, roleARN } from './sets.ts';

/** The sites of Datadog, each an organisation's own. A key is sent to no other host. */
const datadogSites = [
  'datadoghq.com',
  'us3.datadoghq.com',
  'us5.datadoghq.com',
  'datadoghq.eu',
  'ap1.datadoghq.com',
  'ap2.datadoghq.com',
  'uk1.datadoghq.com',
  'ddog-gov.com',
  'us2.ddog-gov.com',
] as const;

/** What queries may say of a target group and its cluster, besides its labels and tags. */
export const checkVariables = [
  'clusterName',
  'eksClusterName',
  'albListenerARN',
  'targetGroupARN',
  'targetGroupFullName',
  'loadBalancerFullName',
  'version',
] as const;

const QUERY_PATTERN = templatePattern('Vars', checkVariables, ['labels', 'tags']);

/** A text of a query, in which variables may stand. */
export const queryText = (longest: number): z.ZodString =>
  matching(
    nonEmpty(longest),
    QUERY_PATTERN,
    `must have no other variables than {{.Vars.NAME}}, where NAME is one of ${checkVariables.join(', ')}, labels.KEY and tags.KEY. Correct the variable.`,
  );

const NAME_PATTERN = '^[a-z][a-z0-9_]*$';

/** A name that formulas and expressions use. */
const variable = (what: string) =>
  withRules(nonEmpty(64), [
    requirePattern(
      NAME_PATTERN,
      'name must have only lower-case letters, digits and underscores and begin with a letter, because formulas use it. Correct it.',
    ),
  ]).describe(what);

const shortText = (what: string) => optional(queryText(512)).describe(what);

const MOST_QUERIES = 5;

const datadogQuery = withRules(
  object({
    name: variable('The name of the query in the formula.'),
    dataSource: choice(['metrics', 'apm_metrics', 'logs', 'slo']).describe(
      'The source of the data: metrics, apm_metrics, logs or slo.',
    ),
    query: optional(queryText(4096)).describe(
      'The query for metrics, the search for logs, or the filter for apm_metrics.',
    ),
    compute: optional(
      object({
        aggregation: choice([
          'count',
          'cardinality',
          'sum',
          'min',
          'max',
          'avg',
          'pc75',
          'pc90',
          'pc95',
          'pc99',
        ]).describe('How to aggregate logs.'),
        metric: shortText('The measure to aggregate; not with count.'),
      }),
    ).describe('What to compute from the logs.'),
    indexes: optional(listOf(nonEmpty(128), 10)).describe('The log indexes. Default: all.'),
    groupBy: optional(listOf(nonEmpty(256), 4)).describe(
      'The facets or tags to group logs and apm_metrics by.',
    ),
    stat: optional(
      choice([
        'error_rate',
        'errors',
        'errors_per_second',
        'hits',
        'hits_per_second',
        'apdex',
        'latency_avg',
        'latency_max',
        'latency_p50',
        'latency_p75',
        'latency_p90',
        'latency_p95',
        'latency_p99',
      ]),
    ).describe('The statistic of apm_metrics.'),
    service: shortText('The service of apm_metrics.'),
    operationName: shortText('The operation of apm_metrics.'),
    resourceName: shortText('The resource of apm_metrics.'),
    sloId: shortText('The id of the SLO.'),
    measure: optional(
      choice([
        'good_events',
        'bad_events',
        'good_minutes',
        'bad_minutes',
        'slo_status',
        'error_budget_remaining',
        'burn_rate',
        'error_budget_burndown',
      ]),
    ).describe('What to measure of the SLO.'),
  }),
  [
    {
      cel: "self.dataSource == 'metrics' ? has(self.query) : self.dataSource == 'logs' ? has(self.compute) : self.dataSource == 'slo' ? has(self.sloId) && has(self.measure) : has(self.stat)",
      message:
        'A Datadog query must have query with dataSource metrics, compute with logs, stat with apm_metrics, and sloId and measure with slo. Add what is missing.',
    },
  ],
);

export const datadogQueries = mapList(datadogQuery, 'name', MOST_QUERIES);

const datadog = withRules(
  object({
    site: optional(choice(datadogSites)).describe(
      'The site of the organisation; only with secretRef. Default: DD_SITE of okrad.',
    ),
    secretRef: optional(secretRef).describe(
      'A Secret in the namespace of the Check with the keys api-key and app-key. Default: DD_API_KEY and DD_APP_KEY of okrad.',
    ),
    queries: optional(datadogQueries).describe(
      'Queries for the Datadog API v2, instead of query, which is for the API v1.',
    ),
    formula: optional(nonEmpty(1024)).describe(
      'How to combine the queries, for example "100 * errors / hits". Default: the only query.',
    ),
    response: optional(choice(['Timeseries', 'Scalar'])).describe(
      'With Timeseries, Okra reduces the points with the aggregator; with Scalar, Datadog does. Default: Timeseries.',
    ),
  }),
  [
    {
      cel: '!has(self.queries) || size(self.queries) == 1 || has(self.formula)',
      message: 'datadog.formula is required with two or more queries. Add it.',
    },
    {
      cel: 'has(self.queries) || (!has(self.formula) && !has(self.response))',
      message: 'datadog.queries is required with formula or response. Add queries.',
    },
    requireWith(
      'site',
      ['secretRef'],
      'datadog.secretRef is required with site, because okrad sends its own keys only to its own site. Name a Secret with keys for this site, or remove site.',
    ),
  ],
);

/** The namespaces of metrics that are about a target group and its load balancer. */
const ELB_NAMESPACES = ['AWS/ApplicationELB', 'AWS/NetworkELB'];
const ELB_DIMENSIONS = ['TargetGroup', 'LoadBalancer'];
const ARNS = [
  'arn:',
  '{{.Vars.targetGroupARN',
  '{{ .Vars.targetGroupARN',
  '{{.Vars.albListenerARN',
  '{{ .Vars.albListenerARN',
];

const fields = {
  id: variable('The id of the metric in the expression.'),
  namespace: nonEmpty(255).describe('The namespace of the metric, for example AWS/ApplicationELB.'),
  metricName: nonEmpty(255).describe('The name of the metric.'),
  dimensions: optional(
    listOf(
      object({
        name: nonEmpty(255).describe('The name of the dimension.'),
        value: queryText(1024).describe('The value of the dimension; it can use variables.'),
      }),
      30,
    ),
  ).describe('All dimensions of the metric.'),
  stat: nonEmpty(40).describe(
    'The statistic of a bucket: Sum, Average, Minimum, Maximum, SampleCount, or a percentile such as p99.',
  ),
};

const listed = (texts: readonly string[]): string => `[${texts.map((text) => `'${text}'`).join(', ')}]`;

const metric = withRules(object(fields), [
  {
    cel: `!(self.namespace in ${listed(ELB_NAMESPACES)}) || !has(self.dimensions) || self.dimensions.all(d, !(d.name in ${listed(ELB_DIMENSIONS)}) || !${listed(ARNS)}.exists(a, d.value.startsWith(a)))`,
    message:
      'The dimensions TargetGroup and LoadBalancer must not be ARNs, for which CloudWatch has no data. Use {{.Vars.targetGroupFullName}} (targetgroup/NAME/ID) and {{.Vars.loadBalancerFullName}} (app/NAME/ID).',
  },
]);

export const cloudWatchMetrics = mapList(metric, 'id', 10);

const cloudWatch = object({
  region: optional(region).describe('The region of the metrics. Default: that of okrad.'),
  roleARN: optional(roleARN).describe('The IAM role to assume, in the account of the metrics.'),
  metrics: optional(cloudWatchMetrics).describe(
    'The metrics in the expression of query. With one metric, query is optional.',
  ),
});

const prometheus = object({
  address: nonEmpty(512).describe(
    'The address of Prometheus, or of another server with its HTTP API, for example http://prometheus.monitoring:9090.',
  ),
  secretRef: optional(secretRef).describe(
    'A Secret in the namespace of the Check with a bearer token in the key token. Default: no token.',
  ),
});

export const provider = withRules(
  object({
    datadog: optional(datadog).describe('Queries Datadog.'),
    cloudWatch: optional(cloudWatch).describe('Queries CloudWatch with GetMetricData.'),
    prometheus: optional(prometheus).describe('Queries Prometheus through its HTTP API.'),
  }),
  [
    {
      cel: `${celCount(['datadog', 'cloudWatch', 'prometheus'])} <= 1`,
      message: 'provider must have at most one of datadog, cloudWatch and prometheus. Remove the others.',
    },
  ],
);

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

const oneBound = requireEither(
  'maxRatio',
  'maxDifference',
  'compare must have exactly one of maxRatio and maxDifference. Remove one, or add one.',
);

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
    },
  ],
);
