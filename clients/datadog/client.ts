import { given } from '../../domain/model/fields.ts';
import { cut } from '../../domain/text.ts';
import {
  boundedRequest,
  jsonOf,
  rateLimited,
  type AnswerLimits,
  type BoundedAnswer,
} from '../bounded-request.ts';
import { refused, unavailable, type ProviderError } from '../provider-error.ts';

/** An organisation of Datadog, and who asks it. */
export interface DatadogAccess {
  /** The address of its API: `https://api.datadoghq.eu`, or that of a stand-in. */
  readonly url: string;
  readonly apiKey: string;
  /** Events need none. */
  readonly appKey?: string;
}

interface DatadogRequest {
  /** Below the address of the API, with its query. */
  readonly path: string;
  /** Sent by POST; undefined: nothing, by GET. */
  readonly body?: object;
  readonly limits?: AnswerLimits;
}

/** Sends Datadog a request once, and reads the JSON object of its answer; throws a ProviderError when there is none. */
export async function requestDatadog(
  { url, apiKey, appKey }: DatadogAccess,
  { path, body, limits }: DatadogRequest,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await boundedRequest({
    provider: 'Datadog',
    url: `${url}${path}`,
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': 'okra',
      'dd-api-key': apiKey,
      ...given({ 'dd-application-key': appKey }),
    },
    body: body && JSON.stringify(body),
    signal,
    ...given({ limits }),
  });
  if (answer.status < 200 || answer.status > 299) throw errorOf(answer);
  return jsonOf('Datadog', answer);
}

function errorOf(answer: BoundedAnswer): ProviderError {
  const { status } = answer;
  const text = cut(errorsIn(answer), 500);
  if (status === 429) return rateLimited('Datadog', answer, text);
  if (status === 401 || status === 403)
    return refused(
      `cannot log in to Datadog: ${status} ${text}. Check api-key and app-key, their permission timeseries_query, and the site.`,
    );
  if (status === 400 || status === 422)
    return refused(`cannot query Datadog: ${status} ${text}. Correct the query.`);
  return unavailable(`cannot query Datadog: ${status} ${text}. Retrying.`);
}

function errorsIn(answer: BoundedAnswer): string {
  try {
    const { errors, error } = jsonOf('Datadog', answer);
    if (Array.isArray(errors))
      return errors.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(', ');
    return typeof error === 'string' ? error : cut(answer.text, 200);
  } catch {
    return 'without JSON';
  }
}
