import { enum as choice, object, optional, type z } from 'zod';
import { listOf, nonEmpty } from './common.ts';
import { matching, templatePattern, withRules } from './rules.ts';

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
export const variable = (what: string) =>
  withRules(nonEmpty(64), [
    {
      cel: `self.matches('${NAME_PATTERN}')`,
      message:
        'name must have only lower-case letters, digits and underscores and begin with a letter, because formulas use it. Correct it.',
      holds: (name) => new RegExp(NAME_PATTERN).test(name),
    },
  ]).describe(what);

const shortText = (what: string) => optional(queryText(512)).describe(what);

const MOST_QUERIES = 5;

/** A query of Datadog's API v2. */
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
      holds: ({ dataSource, query, compute, sloId, measure, stat }) => {
        switch (dataSource) {
          case 'metrics':
            return query !== undefined;
          case 'logs':
            return compute !== undefined;
          case 'slo':
            return sloId !== undefined && measure !== undefined;
          case 'apm_metrics':
            return stat !== undefined;
        }
      },
    },
  ],
);

/** The queries of a formula. */
export const datadogQueries = listOf(datadogQuery, MOST_QUERIES, 1).meta({
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['name'],
});

/** How Datadog is asked. */
export const datadog = withRules(
  object({
    site: optional(choice(datadogSites)).describe(
      'The site of the organisation; only with secretRef. Default: DD_SITE of okrad.',
    ),
    secretRef: optional(object({ name: nonEmpty(253).describe('The name of the Secret.') })).describe(
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
      holds: ({ queries, formula }) => (queries?.length ?? 1) === 1 || formula !== undefined,
    },
    {
      cel: 'has(self.queries) || (!has(self.formula) && !has(self.response))',
      message: 'datadog.queries is required with formula or response. Add queries.',
      holds: ({ queries, formula, response }) =>
        queries !== undefined || (formula === undefined && response === undefined),
    },
    {
      cel: '!has(self.site) || has(self.secretRef)',
      message:
        'datadog.secretRef is required with site, because okrad sends its own keys only to its own site. Name a Secret with keys for this site, or remove site.',
      holds: ({ site, secretRef }) => site === undefined || secretRef !== undefined,
    },
  ],
);
