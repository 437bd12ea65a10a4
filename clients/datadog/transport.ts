import type {
  HttpLibrary,
  RequestContext,
  ResponseContext as Response,
} from '@datadog/datadog-api-client/dist/packages/datadog-api-client-common/http/http.js';
import { cut } from '../../domain/text.ts';
import { boundedRequest, jsonOf, rateLimited, type BoundedAnswer } from '../bounded-request.ts';
import { refused, unavailable, type ProviderError } from '../provider-error.ts';

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
    const answer = await boundedRequest({
      provider: 'Datadog',
      url: request.getUrl(),
      method: method === 'GET' ? 'GET' : 'POST',
      headers: lowerCased(request.getHeaders()),
      body: typeof body === 'string' ? body : undefined,
      signal: signal(),
    });
    const { status, headers, text } = answer;
    if (status < 200 || status > 299) throw errorOf(answer);
    jsonOf('Datadog', answer);
    const read = { text: () => Promise.resolve(text), binary: () => Promise.resolve(Buffer.from(text)) };
    return new makeResponse(status, { ...headers }, read);
  },
});

// The client sets its own encodings, in letters of another case.
const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** What an answer that is none says: by its status, its headers, and its list of errors. */
export function errorOf(answer: BoundedAnswer): ProviderError {
  const { status } = answer;
  const said = cut(errorsIn(answer), 500);
  if (status === 429) return rateLimited('Datadog', answer, said);
  if (status === 401 || status === 403)
    return refused(
      `Expected Datadog to take the keys, got ${status}: ${said}. Check api-key and app-key, their permission timeseries_query, and the site.`,
    );
  if (status === 400 || status === 422)
    return refused(`Expected Datadog to understand the query, got ${status}: ${said}. Correct the query.`);
  return unavailable(`Expected Datadog to answer, got ${status}: ${said}. It is asked again.`);
}

function errorsIn(answer: BoundedAnswer): string {
  try {
    const { errors, error } = jsonOf('Datadog', answer);
    if (Array.isArray(errors))
      return errors.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(', ');
    return typeof error === 'string' ? error : cut(answer.text, 200);
  } catch {
    return 'an answer that is no JSON';
  }
}
