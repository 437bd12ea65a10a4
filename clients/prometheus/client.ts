import { Agent } from 'undici';
import {
  http1,
  boundedRequest,
  jsonOf,
  METRICS_ANSWER,
  rateLimited,
  startOf,
  type BoundedAnswer,
} from '../bounded-request.ts';
import type { Answer, Series } from '../../domain/checks/judge.ts';
import type { Window } from '../../domain/checks/next-run.ts';
import { fieldsIn } from '../../domain/model/fields.ts';
import { cut } from '../../domain/text.ts';
import { makeGuardedConnector } from '../kubernetes/guarded-connect.ts';
import { refused, unavailable } from '../provider-error.ts';

interface PrometheusAccess {
  /** Its address, below which its API is: `http://prometheus.monitoring:9090`. */
  readonly address: string;
  readonly token?: string | undefined;
}

/** Asks a Prometheus; throws a ProviderError when it does not answer. */
export type AskPrometheus = (
  access: PrometheusAccess,
  asked: { readonly query: string; readonly window: Window },
  signal: AbortSignal,
) => Promise<Answer>;

/** Makes what asks any Prometheus, but none where machines keep their credentials. */
export function connectPrometheus(): AskPrometheus {
  return async ({ address, token }, { query, window }, signal) => {
    const connect = makeGuardedConnector({ rejectUnauthorized: true });
    // For this question alone: namespaces come and go, and no connection would be used again.
    const dispatcher = new Agent({ ...http1, connect });
    try {
      const asked = bodyOf(query, window);
      const answer = await boundedRequest({ ...requestOf(address, token), body: asked, signal, dispatcher });
      return answerOf(answer, window);
    } finally {
      await dispatcher.destroy();
    }
  };
}

const requestOf = (address: string, token: string | undefined) =>
  ({
    provider: 'Prometheus',
    url: urlOf(address),
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'okra',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
  }) as const;

const bodyOf = (query: string, { from, to, bucketMs }: Window): string =>
  new URLSearchParams({
    query,
    // The point at a time is about the bucket that ends then.
    start: String((from + bucketMs) / 1000),
    end: String(to / 1000),
    step: String(bucketMs / 1000),
    timeout: `${METRICS_ANSWER.milliseconds / 1000}s`,
  }).toString();

/** The address of range queries (prometheus.io/docs/prometheus/latest/querying/api). */
function urlOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isPlain =
    url !== undefined && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (url === undefined || !isPlain || !['http:', 'https:'].includes(url.protocol))
    throw refused(
      `invalid address of Prometheus ${JSON.stringify(cut(address, 100))}: must be one such as http://prometheus.monitoring:9090. A token belongs into a Secret.`,
    );
  return `${url.origin}${url.pathname.replace(/\/$/, '')}/api/v1/query_range`;
}

function answerOf(answer: BoundedAnswer, { bucketMs }: Window): Answer {
  const { status, text } = answer;
  if (status === 401 || status === 403)
    throw refused(`cannot log in to Prometheus: ${status}. Correct the Secret.`);
  if (status >= 300 && status < 400)
    throw refused(`cannot query Prometheus: redirect (${status}). Name the address that it leads to.`);
  // Mimir, Thanos and Amazon Managed Service for Prometheus limit requests.
  if (status === 429) throw rateLimited('Prometheus', answer, startOf(text));
  const body = jsonOf('Prometheus', answer);
  const { errorType = 'error', error = startOf(text) } = body;
  if (status < 200 || status > 299 || body['status'] !== 'success') {
    const said = cut(`${String(errorType)}: ${String(error)}`, 500);
    if (errorType === 'bad_data' || errorType === 'execution')
      throw refused(`cannot compute the query in Prometheus: ${said}. Correct the query.`);
    throw unavailable(`cannot query Prometheus: ${status} ${said}. Retrying.`);
  }
  const { warnings } = body;
  // What collects from several Prometheus warns like this when one of them is missing.
  if (Array.isArray(warnings) && warnings.length > 0)
    throw unavailable(
      `cannot use the answer of Prometheus: incomplete, ${cut(warnings.map(String).join(', '), 300)}. Retrying.`,
    );
  const { resultType, result } = fieldsIn(body['data']);
  if (resultType !== 'matrix' || !Array.isArray(result))
    throw unavailable(
      `cannot read the answer of Prometheus: expected a matrix, got ${cut(String(resultType), 50)}. Correct the query.`,
    );
  return { is: 'Series', series: result.map((one) => seriesOf(one, bucketMs)) };
}

function seriesOf(one: unknown, bucketMs: number): Series {
  const { metric, values, histograms } = fieldsIn(one);
  if (!Array.isArray(values) || histograms !== undefined)
    throw unavailable(
      `cannot read the answer of Prometheus: expected numbers, got ${histograms === undefined ? 'none' : 'native histograms'}. Correct the query, by histogram_quantile or histogram_count for example.`,
    );
  const labels = Object.entries(fieldsIn(metric));
  const group = labels.map(([name, value]) => `${name}:${String(value)}`).join(',');
  const points = values.map((point: unknown) => {
    const [at, value] = Array.isArray(point) ? (point as unknown[]) : [];
    if (typeof at !== 'number')
      throw unavailable('cannot read the answer of Prometheus: points without a time.');
    return [at * 1000 - bucketMs, numberIn(value)] as const;
  });
  return { group, points };
}

function numberIn(value: unknown): number | null {
  if (value === 'NaN') return null;
  if (value === '+Inf' || value === '-Inf') return value === '+Inf' ? Infinity : -Infinity;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  if (!Number.isNaN(number)) return number;
  throw unavailable(
    `cannot read the answer of Prometheus: expected numbers, got ${JSON.stringify(value)?.slice(0, 60) ?? 'nothing'}. Correct the query.`,
  );
}
