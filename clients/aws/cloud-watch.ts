import {
  CloudWatchClient,
  GetMetricDataCommand,
  type MessageData,
  type GetMetricDataCommandOutput,
  type MetricDataQuery,
  type MetricDataResult,
} from '@aws-sdk/client-cloudwatch';
import type { Answer } from '../../domain/checks/judge.ts';
import type { Question } from '../../domain/checks/question.ts';
import type { Window } from '../../domain/checks/next-run.ts';
import { given } from '../../domain/model/fields.ts';
import { cut } from '../../domain/text.ts';
import { newest } from '../concurrency.ts';
import { refused, unavailable } from '../provider-error.ts';
import {
  clientSettings,
  MOST_SCOPES,
  scopeName,
  type AwsScope,
  type ClientOptions,
} from './aws-credentials.ts';
import { readPages } from './aws-pages.ts';
import { counting } from './request-count.ts';

/** Asks the CloudWatch of a region, as Okra or as a role (API_GetMetricData). Errors are those of the AWS SDK, or a ProviderError. */
export type AskCloudWatch = (
  scope: AwsScope,
  asked: { readonly question: Question; readonly window: Window },
  signal: AbortSignal,
) => Promise<Answer>;

/** The id of the expression whose result is judged. No metric may be called so, since their ids begin with a letter. */
const RESULT_ID = 'okra_result';

/** Makes the CloudWatch of all regions and roles; one client for each. */
export function connectCloudWatch(options: ClientOptions = {}): AskCloudWatch {
  const kept = newest<CloudWatchClient>(MOST_SCOPES);
  const make = (scope: AwsScope): CloudWatchClient =>
    counting(
      new CloudWatchClient({ ...clientSettings(scope, options), maxAttempts: 2 }),
      scope.region,
      options.tell,
    );
  return async (scope, { question, window }, signal) => {
    const client = kept(scopeName(scope), () => make(scope));
    const results = await readPages<MetricDataResult>({
      service: 'CloudWatch',
      of: 'the results of an expression',
      page: async (NextToken) => {
        const output = await client.send(
          new GetMetricDataCommand({
            StartTime: new Date(window.from),
            EndTime: new Date(window.to),
            MetricDataQueries: queriesOf(question, window),
            ScanBy: 'TimestampAscending',
            ...given({ NextToken }),
          }),
          { abortSignal: signal },
        );
        refusePart(output.Messages);
        return { items: resultsOf(output), next: output.NextToken };
      },
    });
    return answerOf(results);
  };
}

function queriesOf({ query, metrics = [] }: Question, { bucketMs }: Window): MetricDataQuery[] {
  const Period = bucketMs / 1000;
  const ofMetrics = metrics.map(({ id, namespace, metricName, dimensions = [], stat }): MetricDataQuery => ({
    Id: id,
    ReturnData: query === undefined,
    MetricStat: {
      Period,
      Stat: stat,
      Metric: {
        Namespace: namespace,
        MetricName: metricName,
        Dimensions: dimensions.map(({ name, value }) => ({ Name: name, Value: value })),
      },
    },
  }));
  return query === undefined
    ? ofMetrics
    : [...ofMetrics, { Id: RESULT_ID, Expression: query, Period, ReturnData: true }];
}

/** Says what keeps CloudWatch from an answer about all that was asked: then it answers about a part, and calls that complete. */
function refusePart(messages: readonly MessageData[] = []): void {
  if (messages.length === 0) return;
  throw unavailable(
    `CloudWatch answered only a part: ${saidIn(messages)}. That counts as no value, and Okra retries. Query less in one expression.`,
  );
}

const saidIn = (messages: readonly MessageData[]): string =>
  cut(messages.map(({ Code = '', Value = '' }) => `${Code} ${Value}`.trim()).join(', '), 500);

const nameOf = ({ Id = '', Label = '' }: MetricDataResult): string => `${Id} ${Label}`;

/** The results of a page, of which each has a name of its own: by that, pages of one series belong together. */
function resultsOf({ MetricDataResults: results }: GetMetricDataCommandOutput): MetricDataResult[] {
  if (results === undefined) throw unavailable('CloudWatch returned no results. Retrying.');
  if (new Set(results.map(nameOf)).size === results.length) return results;
  throw unavailable('CloudWatch returned two series with one label. Label them differently in the query.');
}

/** The points of all pages by what CloudWatch calls them; what it could not read in full is no value. */
function answerOf(results: readonly MetricDataResult[]): Answer {
  const series = [...Map.groupBy(results, nameOf).values()].map((pages) => {
    pages.forEach((page, index) => refuseIncomplete(page, index === pages.length - 1));
    return {
      group: results.length === pages.length ? '' : (pages[0]?.Label ?? ''),
      points: pages.flatMap(pointsOf),
    };
  });
  return { is: 'Series', series };
}

/** Says of what CloudWatch could not read all. A page before the last is part of the data by its nature. */
function refuseIncomplete({ StatusCode, Label, Messages = [] }: MetricDataResult, isLast: boolean): void {
  if (StatusCode === 'Complete' || (StatusCode === 'PartialData' && !isLast)) return;
  const said = saidIn(Messages);
  if (StatusCode === 'Forbidden')
    throw refused(
      `CloudWatch does not let Okra read ${Label ?? 'the metrics'}: Forbidden ${said}. Allow cloudwatch:GetMetricData in their account.`,
    );
  throw unavailable(
    `The data of CloudWatch is incomplete: ${StatusCode ?? 'no status'} ${said}. That counts as no value, and Okra retries.`,
  );
}

function pointsOf({ Timestamps = [], Values = [] }: MetricDataResult): (readonly [number, number | null])[] {
  if (Timestamps.length !== Values.length)
    throw unavailable(
      `CloudWatch returned ${Values.length} values for ${Timestamps.length} times. Retrying.`,
    );
  return Timestamps.map((time, index) => [time.getTime(), Values[index] ?? null] as const);
}
