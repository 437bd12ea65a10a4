import { MetricsApi } from '@datadog/datadog-api-client/dist/packages/datadog-api-client-v1/apis/MetricsApi.js';
import { MetricsApi as MetricsApiV2 } from '@datadog/datadog-api-client/dist/packages/datadog-api-client-v2/apis/MetricsApi.js';
import type { Aggregator, Answer } from '../../domain/checks/judge.ts';
import type { Question } from '../../domain/checks/question.ts';
import type { Window } from '../../domain/checks/next-run.ts';
import { given } from '../../domain/model/fields.ts';
import { ProviderError, refused, unavailable } from '../provider-error.ts';
import { fitting, scalarsOfV2, seriesOfV1, seriesOfV2 } from './answers.ts';
import { configureDatadog, type DatadogAccess } from './client.ts';

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
  try {
    return asked.question.queries === undefined
      ? await askV1(access, asked, signal)
      : await askV2(access, asked, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ProviderError) throw error;
    // The client speaks of its models; what it quotes may be anything.
    throw unavailable(
      `cannot read the answer of Datadog: ${error instanceof Error ? error.name : 'an error'} in its client. Check what answers in its place.`,
    );
  }
}

async function askV1(
  access: DatadogAccess,
  { question, window }: DatadogQuestion,
  signal: AbortSignal,
): Promise<Answer> {
  const { query } = question;
  if (query === undefined) throw refused('analysis.query not found. Add it.');
  const api = new MetricsApi(configureDatadog(access, signal));
  const answer = await api.queryMetrics({ from: window.from / 1000, to: window.to / 1000, query });
  return fitting(seriesOfV1(answer), window);
}

async function askV2(
  access: DatadogAccess,
  { question: { queries = [] }, formula, response, aggregator, window }: DatadogQuestion,
  signal: AbortSignal,
): Promise<Answer> {
  const api = new MetricsApiV2(configureDatadog(access, signal));
  const { from, to, bucketMs } = window;
  const common = { from, to, formulas: [{ formula: formula ?? queries[0]?.name ?? '' }] };
  if (response === 'Scalar') {
    const attributes = { ...common, queries: queries.map((query) => scalarQuery(query, aggregator)) };
    return scalarsOfV2(await api.queryScalarData({ body: { data: { type: 'scalar_request', attributes } } }));
  }
  const attributes = { ...common, interval: bucketMs, queries: queries.map(seriesQuery) };
  const answer = await api.queryTimeseriesData({
    body: { data: { type: 'timeseries_request', attributes } },
  });
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
