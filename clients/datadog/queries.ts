import type { Aggregator, Answer } from '../../domain/checks/judge.ts';
import type { Question } from '../../domain/checks/question.ts';
import type { Window } from '../../domain/checks/next-run.ts';
import { refused } from '../provider-error.ts';
import { fitting, scalarsOfV2, seriesOfV1, seriesOfV2 } from './answers.ts';
import { requestDatadog, type DatadogAccess } from './client.ts';

export interface DatadogQuestion {
  readonly question: Question;
  readonly formula?: string | undefined;
  readonly response: 'Timeseries' | 'Scalar';
  readonly aggregator: Aggregator;
  readonly window: Window;
}

/** Asks Datadog, once; throws a ProviderError when it does not answer. */
export async function askDatadog(
  access: DatadogAccess,
  asked: DatadogQuestion,
  signal: AbortSignal,
): Promise<Answer> {
  signal.throwIfAborted();
  return asked.question.queries === undefined
    ? await askV1(access, asked, signal)
    : await askV2(access, asked, signal);
}

async function askV1(
  access: DatadogAccess,
  { question, window }: DatadogQuestion,
  signal: AbortSignal,
): Promise<Answer> {
  const { query } = question;
  if (query === undefined) throw refused('analysis.query not found. Add it.');
  const asked = new URLSearchParams({
    from: String(window.from / 1000),
    to: String(window.to / 1000),
    query,
  });
  return fitting(
    seriesOfV1(await requestDatadog(access, { path: `/api/v1/query?${asked.toString()}` }, signal)),
    window,
  );
}

async function askV2(
  access: DatadogAccess,
  { question: { queries = [] }, formula, response, aggregator, window }: DatadogQuestion,
  signal: AbortSignal,
): Promise<Answer> {
  const { from, to, bucketMs } = window;
  const common = { from, to, formulas: [{ formula: formula ?? queries[0]?.name ?? '' }] };
  const post = (form: 'scalar' | 'timeseries', more: object): Promise<unknown> => {
    const body = { data: { type: `${form}_request`, attributes: { ...common, ...more } } };
    return requestDatadog(access, { path: `/api/v2/query/${form}`, body }, signal);
  };
  if (response === 'Scalar')
    return scalarsOfV2(
      await post('scalar', { queries: queries.map((query) => scalarQuery(query, aggregator)) }),
    );
  const answer = await post('timeseries', { interval: bucketMs, queries: queries.map(seriesQuery) });
  return fitting(seriesOfV2(answer, { from, bucketMs: intervalOf(queries, bucketMs) }), window);
}

type Query = NonNullable<Question['queries']>[number];

const seriesQuery = (query: Query) =>
  query.dataSource === 'metrics' ? ofMetrics(query) : others[query.dataSource](query);

const scalarQuery = (query: Query, aggregator: Aggregator) =>
  query.dataSource === 'metrics' ? { ...ofMetrics(query), aggregator } : others[query.dataSource](query);

/** Gives the length of a bucket of the answer: a rollup in the queries goes before what is asked for. */
const intervalOf = (queries: readonly Query[], askedMs: number): number =>
  Math.max(...queries.map(({ query = '' }) => rollupMs(query) ?? askedMs));

function rollupMs(query: string): number | undefined {
  const seconds = [...query.matchAll(/\.rollup\(([^()]*)\)/g)]
    .map(([, inside = '']) => Number(inside.split(',').at(-1)))
    .filter((number) => number > 0);
  return seconds.length === 0 ? undefined : Math.max(...seconds) * 1000;
}

const ofMetrics = ({ name, query = '' }: Query) => ({ data_source: 'metrics', name, query });

const ofLogs = ({ name, query = '', compute, indexes, groupBy }: Query) => ({
  data_source: 'logs',
  name,
  compute: { aggregation: compute?.aggregation ?? 'count', metric: compute?.metric },
  search: { query },
  indexes,
  group_by: groupBy?.map((facet) => ({ facet })),
});

const ofTraces = ({ name, stat, query, groupBy, service, operationName, resourceName }: Query) => ({
  data_source: 'apm_metrics',
  name,
  stat: stat ?? 'hits',
  group_by: groupBy,
  query_filter: query,
  service,
  operation_name: operationName,
  resource_name: resourceName,
});

const ofObjectives = ({ name, sloId = '', measure, query }: Query) => ({
  data_source: 'slo',
  name,
  slo_id: sloId,
  measure: measure ?? 'slo_status',
  additional_query_filters: query,
});

// What is undefined is left out of JSON.
const others = { logs: ofLogs, apm_metrics: ofTraces, slo: ofObjectives } as const;
