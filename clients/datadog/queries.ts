import type { Aggregator } from '../../domain/checks/answer.ts';
import type { Question } from '../../domain/checks/question.ts';

type Query = NonNullable<Question['queries']>[number];

const given = <Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

/** A query for a series, as Datadog's API v2 takes it. */
export const seriesQuery = (query: Query) =>
  query.dataSource === 'metrics' ? ofMetrics(query) : others[query.dataSource](query);

/** A query for one value, as Datadog's API v2 takes it. */
export const scalarQuery = (query: Query, aggregator: Aggregator) =>
  query.dataSource === 'metrics' ? { ...ofMetrics(query), aggregator } : others[query.dataSource](query);

/** How long a bucket of the answer is, in milliseconds: what a rollup in the queries says goes before what is asked for. */
export const intervalOf = (queries: readonly Query[], askedMs: number): number =>
  Math.max(...queries.map(({ query = '' }) => rollupMs(query) ?? askedMs));

/** The longest interval of `.rollup(sum, 300)` in a query; undefined without one. */
function rollupMs(query: string): number | undefined {
  const seconds = [...query.matchAll(/\.rollup\(([^()]*)\)/g)]
    .map(([, inside = '']) => Number(inside.split(',').at(-1)))
    .filter((number) => number > 0);
  return seconds.length === 0 ? undefined : Math.max(...seconds) * 1000;
}

const ofMetrics = ({ name, query = '' }: Query) => ({ dataSource: 'metrics' as const, name, query });

const ofLogs = ({ name, query = '', compute, indexes, groupBy }: Query) => ({
  dataSource: 'logs' as const,
  name,
  compute: { aggregation: compute?.aggregation ?? 'count', ...given({ metric: compute?.metric }) },
  search: { query },
  ...given({ indexes, groupBy: groupBy?.map((facet) => ({ facet })) }),
});

const ofTraces = ({ name, stat, query, groupBy, service, operationName, resourceName }: Query) => ({
  dataSource: 'apm_metrics' as const,
  name,
  stat: stat ?? 'hits',
  ...given({ groupBy, queryFilter: query, service, operationName, resourceName }),
});

const ofObjectives = ({ name, sloId = '', measure, query }: Query) => ({
  dataSource: 'slo' as const,
  name,
  sloId,
  measure: measure ?? 'slo_status',
  ...given({ additionalQueryFilters: query }),
});

const others = { logs: ofLogs, apm_metrics: ofTraces, slo: ofObjectives } as const;
