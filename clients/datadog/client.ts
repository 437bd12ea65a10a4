import type { Aggregator, Answer } from '../../domain/checks/answer.ts';
import type { Question } from '../../domain/checks/question.ts';
import type { Window } from '../../domain/checks/window.ts';
import { ProviderError, refused, unavailable } from '../provider-error.ts';
import { fitting, scalarsOfV2, seriesOfV1, seriesOfV2 } from './answers.ts';
import { intervalOf, scalarQuery, seriesQuery } from './queries.ts';
import { transport } from './transport.ts';

/** An organisation of Datadog, and who asks it. */
export interface DatadogAccess {
  /** The address of its API: `https://api.datadoghq.eu`, or that of a stand-in. */
  readonly url: string;
  readonly apiKey: string;
  readonly appKey: string;
}

/** What Datadog is asked. */
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
  try {
    if (asked.question.queries === undefined) return await askV1(access, asked, signal);
    return asked.response === 'Scalar'
      ? await askScalar(access, asked, signal)
      : await askSeries(access, asked, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ProviderError) throw error;
    // The client speaks of its models; what it quotes may be anything.
    throw unavailable(
      `Expected an answer as Datadog's API describes it, got one that its client cannot read (${error instanceof Error ? error.name : 'an error'}). Look at what answers in its place.`,
    );
  }
}

async function askV1(
  access: DatadogAccess,
  { question, window }: DatadogQuestion,
  signal: AbortSignal,
): Promise<Answer> {
  const { query } = question;
  if (query === undefined) throw refused('Expected a query, got none. Add analysis.query.');
  const { MetricsApi } =
    await import('@datadog/datadog-api-client/dist/packages/datadog-api-client-v1/apis/MetricsApi.js');
  const api = new MetricsApi(await configurationOf(access, signal));
  const answer = await api.queryMetrics({ from: window.from / 1000, to: window.to / 1000, query });
  return fitting(seriesOfV1(answer), window);
}

async function askSeries(
  access: DatadogAccess,
  asked: DatadogQuestion,
  signal: AbortSignal,
): Promise<Answer> {
  const { queries = [] } = asked.question;
  const { from, to, bucketMs } = asked.window;
  const attributes = {
    from,
    to,
    interval: bucketMs,
    formulas: formulasOf(asked),
    queries: queries.map(seriesQuery),
  };
  const api = await apiV2(access, signal);
  const answer = await api.queryTimeseriesData({
    body: { data: { type: 'timeseries_request', attributes } },
  });
  return fitting(seriesOfV2(answer, { from, bucketMs: intervalOf(queries, bucketMs) }), asked.window);
}

async function askScalar(
  access: DatadogAccess,
  asked: DatadogQuestion,
  signal: AbortSignal,
): Promise<Answer> {
  const { queries = [] } = asked.question;
  const { from, to } = asked.window;
  const attributes = {
    from,
    to,
    formulas: formulasOf(asked),
    queries: queries.map((query) => scalarQuery(query, asked.aggregator)),
  };
  const api = await apiV2(access, signal);
  return scalarsOfV2(await api.queryScalarData({ body: { data: { type: 'scalar_request', attributes } } }));
}

const formulasOf = ({ question, formula }: DatadogQuestion) => [
  { formula: formula ?? question.queries?.[0]?.name ?? '' },
];

// Its models take a hundred megabytes, which only those have who use them.
async function apiV2(access: DatadogAccess, signal: AbortSignal) {
  const { MetricsApi } =
    await import('@datadog/datadog-api-client/dist/packages/datadog-api-client-v2/apis/MetricsApi.js');
  return new MetricsApi(await configurationOf(access, signal));
}

async function configurationOf({ url, apiKey, appKey }: DatadogAccess, signal: AbortSignal) {
  const [{ createConfiguration }, { ServerConfiguration }, { ResponseContext }] = await Promise.all([
    import('@datadog/datadog-api-client/dist/packages/datadog-api-client-common/configuration.js'),
    import('@datadog/datadog-api-client/dist/packages/datadog-api-client-common/servers.js'),
    import('@datadog/datadog-api-client/dist/packages/datadog-api-client-common/http/http.js'),
  ]);
  return createConfiguration({
    baseServer: new ServerConfiguration(url, {}),
    authMethods: { apiKeyAuth: apiKey, appKeyAuth: appKey },
    httpApi: transport(ResponseContext, () => signal),
    enableRetry: false,
  });
}
