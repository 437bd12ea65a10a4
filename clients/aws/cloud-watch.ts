import {
  CloudWatchClient,
  GetMetricDataCommand,
  type MessageData,
  type MetricDataQuery,
  type MetricDataResult,
} from '@aws-sdk/client-cloudwatch';
import type { Answer } from '../../domain/checks/answer.ts';
import type { Question } from '../../domain/checks/question.ts';
import type { Window } from '../../domain/checks/window.ts';
import { cut } from '../../domain/text.ts';
import { newest } from '../newest.ts';
import { refused, unavailable } from '../provider-error.ts';
import {
  credentialsFor,
  MOST_SCOPES,
  requestHandlerOf,
  scopeName,
  type AwsScope,
  type CredentialOptions,
} from './aws-credentials.ts';
import { readPages } from './aws-pages.ts';
import { counting, type TellRequests } from './request-count.ts';

/** How CloudWatch is reached. */
export interface CloudWatchOptions extends CredentialOptions {
  /** The address of an emulator or a VPC endpoint; undefined for AWS' own. */
  readonly endpoint?: string | undefined;
  /** Who is told of requests. */
  readonly tell?: TellRequests | undefined;
}

/** Asks the CloudWatch of a region, as Okra or as a role (API_GetMetricData). Errors are those of the AWS SDK, or a ProviderError. */
export type AskCloudWatch = (
  scope: AwsScope,
  asked: { readonly question: Question; readonly window: Window },
  signal: AbortSignal,
) => Promise<Answer>;

/** The id of the expression whose result is judged. No metric may be called so, since their ids begin with a letter. */
const RESULT_ID = 'okra_result';

/** Makes the CloudWatch of all regions and roles; one client for each. */
export function connectCloudWatch(options: CloudWatchOptions = {}): AskCloudWatch {
  const kept = newest<CloudWatchClient>(MOST_SCOPES);
  const make = (scope: AwsScope): CloudWatchClient => {
    const settings = {
      region: scope.region,
      credentials: credentialsFor(scope, options),
      requestHandler: requestHandlerOf(options.requestTimeoutMs),
      maxAttempts: 2,
      ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    };
    return counting(new CloudWatchClient(settings), scope.region, options.tell);
  };
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
            ...(NextToken === undefined ? {} : { NextToken }),
          }),
          { abortSignal: signal },
        );
        refusePart(output.Messages);
        return { items: output.MetricDataResults ?? [], next: output.NextToken };
      },
    });
    return answerOf(results);
  };
}

/** What is asked: the metrics, and the expression over them; without one, the only metric. */
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
    `Expected CloudWatch to answer all that was asked, got a part, and: ${saidIn(messages)}. It counts as no value, and is asked again. Ask for less by one expression.`,
  );
}

const saidIn = (messages: readonly MessageData[]): string =>
  cut(messages.map(({ Code = '', Value = '' }) => `${Code} ${Value}`.trim()).join(', '), 500);

/** The points of all pages by what CloudWatch calls them; what it could not read in full is no value. */
function answerOf(results: readonly MetricDataResult[]): Answer {
  const byLabel = Map.groupBy(results, ({ Id = '', Label = '' }) => `${Id} ${Label}`);
  const series = [...byLabel.values()].map((pages) => {
    const last = pages.at(-1);
    const { StatusCode = 'Complete', Messages = [] } = last ?? {};
    const said = saidIn(Messages);
    if (StatusCode === 'Forbidden')
      throw refused(
        `Expected CloudWatch to let Okra read ${last?.Label ?? 'the metrics'}, got Forbidden ${said}. Allow cloudwatch:GetMetricData in their account.`,
      );
    if (StatusCode !== 'Complete')
      throw unavailable(
        `Expected complete data of CloudWatch, got ${StatusCode} ${said}. It counts as no value, and is asked again.`,
      );
    return {
      group: results.length === pages.length ? '' : (last?.Label ?? ''),
      points: pages.flatMap(pointsOf),
    };
  });
  return { is: 'Series', series };
}

function pointsOf({ Timestamps = [], Values = [] }: MetricDataResult): (readonly [number, number | null])[] {
  if (Timestamps.length !== Values.length)
    throw unavailable(
      `Expected a value of CloudWatch for each time, got ${Values.length} for ${Timestamps.length} times. It is asked again.`,
    );
  return Timestamps.map((time, index) => [time.getTime(), Values[index] ?? null] as const);
}
