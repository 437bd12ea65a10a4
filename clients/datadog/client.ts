import {
  createConfiguration,
  type Configuration,
} from '@datadog/datadog-api-client/dist/packages/datadog-api-client-common/configuration.js';
import { ServerConfiguration } from '@datadog/datadog-api-client/dist/packages/datadog-api-client-common/servers.js';
import { logger } from '@datadog/datadog-api-client/dist/logger.js';
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

// It writes to the console what Okra reports as errors.
logger.disableAll();

/** Configures Datadog's client for one request. Its own `fetch` has no limits, and follows redirects with the keys. */
export const configureDatadog = (
  { url, apiKey, appKey = '' }: DatadogAccess,
  signal: AbortSignal,
  limits?: AnswerLimits,
): Configuration =>
  createConfiguration({
    baseServer: new ServerConfiguration(url, {}),
    authMethods: { apiKeyAuth: apiKey, appKeyAuth: appKey },
    fetch: (address: string, request: RequestInit) => fetchBounded(address, { ...request, signal }, limits),
  });

async function fetchBounded(
  url: string,
  { method, headers, body, signal }: RequestInit & { readonly signal: AbortSignal },
  limits: AnswerLimits | undefined,
): Promise<Response> {
  const answer = await boundedRequest({
    provider: 'Datadog',
    url,
    method: method === 'GET' ? 'GET' : 'POST',
    headers: Object.fromEntries(new Headers(headers)),
    body: typeof body === 'string' ? body : undefined,
    signal,
    ...given({ limits }),
  });
  if (answer.status < 200 || answer.status > 299) throw errorOf(answer);
  jsonOf('Datadog', answer);
  return new Response(answer.text, { status: answer.status, headers: answer.headers });
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
