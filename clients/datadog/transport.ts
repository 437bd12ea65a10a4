import type {
  HttpLibrary,
  RequestContext,
  ResponseContext as Response,
} from '@datadog/datadog-api-client/dist/packages/datadog-api-client-common/http/http.js';
import { cut } from '../../domain/text.ts';
import { boundedRequest, jsonOf } from '../bounded-request.ts';
import { ProviderError, refused, unavailable } from '../provider-error.ts';

/** The longest that is waited for because Datadog says so; after that it is asked again. */
export const LONGEST_RETRY_AFTER_MS = 300_000;

type MakeResponse = new (status: number, headers: Record<string, string>, body: Response['body']) => Response;

/**
 * Makes what sends the requests of Datadog's client. The client's own would read answers without an end, follow
 * redirects with the keys, and sleep for whatever a header says.
 */
export const transport = (makeResponse: MakeResponse, signal: () => AbortSignal): HttpLibrary => ({
  enableRetry: false,
  async send(request: RequestContext): Promise<Response> {
    const body = request.getBody();
    const method: string = request.getHttpMethod();
    const { status, headers, text } = await boundedRequest({
      provider: 'Datadog',
      url: request.getUrl(),
      method: method === 'GET' ? 'GET' : 'POST',
      headers: lowerCased(request.getHeaders()),
      body: typeof body === 'string' ? body : undefined,
      signal: signal(),
    });
    if (status < 200 || status > 299) throw errorOf(status, headers, text);
    jsonOf('Datadog', text);
    const read = { text: () => Promise.resolve(text), binary: () => Promise.resolve(Buffer.from(text)) };
    return new makeResponse(status, { ...headers }, read);
  },
});

// The client sets its own encodings, in letters of another case.
const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** What an answer that is none says: by its status, its headers, and its list of errors. */
export function errorOf(
  status: number,
  headers: Readonly<Record<string, string>>,
  text: string,
): ProviderError {
  const said = cut(errorsIn(text), 500);
  if (status === 429) {
    const retryAfterMs = resetMs(headers);
    const message = `Datadog takes no more requests for now (${said}). Asking again in ${Math.ceil(retryAfterMs / 1000)} s.`;
    return new ProviderError({ is: 'RateLimited', retryAfterMs }, message);
  }
  if (status === 401 || status === 403)
    return refused(
      `Expected Datadog to take the keys, got ${status}: ${said}. Check api-key and app-key, their permission timeseries_query, and the site.`,
    );
  if (status >= 400 && status < 500)
    return refused(`Expected Datadog to understand the query, got ${status}: ${said}. Correct the query.`);
  return unavailable(`Expected Datadog to answer, got ${status}: ${said}. It is asked again.`);
}

const DEFAULT_RETRY_AFTER_MS = 30_000;

/** How long Datadog says to wait, within reason: a header may say anything. */
function resetMs(headers: Readonly<Record<string, string>>): number {
  const said = headers['x-ratelimit-reset'] ?? headers['retry-after'] ?? '';
  if (!/^\d{1,9}$/.test(said)) return DEFAULT_RETRY_AFTER_MS;
  return Math.min(LONGEST_RETRY_AFTER_MS, Math.max(1000, Number(said) * 1000));
}

function errorsIn(text: string): string {
  try {
    const { errors, error } = jsonOf('Datadog', text);
    if (Array.isArray(errors))
      return errors.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(', ');
    return typeof error === 'string' ? error : cut(text, 200);
  } catch {
    return 'an answer that is no JSON';
  }
}
