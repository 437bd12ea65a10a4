import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { queryScalar, queryTimeseries, queryV1, readEvent, type PostedEvent } from './answers.ts';
import type { Known } from './data.ts';
import { BadRequest } from './formulas.ts';

/** How the stand-in is set up. */
export interface DatadogOptions {
  readonly apiKey: string;
  readonly appKey: string;
  /** 0 or undefined: a free one. */
  readonly port?: number;
  /** How many queries a period takes; undefined: as many as Datadog takes by default, 1600 an hour. */
  readonly rate?: { readonly limit: number; readonly periodSeconds: number };
  readonly now?: () => number;
  /** Awaited before each answer, for what is known only when it is asked for. */
  readonly before?: () => Promise<unknown>;
}

/** A server that stands in for Datadog's API: metrics, formulas and events, as strict as the public description. */
export interface DatadogServer extends AsyncDisposable {
  readonly url: string;
  /** What it knows, by query; with another data source than metrics, `logs: SEARCH` and so on. */
  readonly known: Map<string, Known>;
  readonly events: PostedEvent[];
  /** What was asked, as `METHOD /path`, with the status that it was answered with. */
  readonly asked: { readonly request: string; readonly status: number; readonly query: string }[];
  /** Answers that come instead of its own, one for each request; for what goes wrong between Okra and Datadog. */
  readonly instead: Substitute[];
}

/** An answer that comes instead. */
export interface Substitute {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const LONGEST_BODY = 1_000_000;

// Five seconds, which Node.js has by itself, pass while a busy machine lets neither side do anything; a request that was
// sent meanwhile would be lost.
const KEEP_ALIVE_MS = 600_000;

/** Serves the stand-in on 127.0.0.1. */
export async function serveDatadog(options: DatadogOptions): Promise<DatadogServer> {
  const { apiKey, appKey, port = 0, now = Date.now } = options;
  const state = { known: new Map<string, Known>(), events: [] as PostedEvent[] };
  const asked: { request: string; status: number; query: string }[] = [];
  const instead: Substitute[] = [];
  const limited = rateLimit(options.rate ?? { limit: 1600, periodSeconds: 3600 }, now);

  function answerTo(request: IncomingMessage, url: URL, body: string): Answer {
    const substitute = instead.shift();
    if (substitute !== undefined) return { ...substitute, headers: { ...JSON_TYPE, ...substitute.headers } };
    const { headers } = request;
    if (headers['dd-api-key'] === undefined) return refusal(401, 'Unauthorized');
    if (headers['dd-api-key'] !== apiKey) return refusal(403, 'Forbidden');
    const route = `${request.method ?? ''} ${url.pathname}`;
    if (route === 'POST /api/v1/events') {
      const event = readEvent(parsed(request, body));
      state.events.push(event);
      return { status: 202, body: JSON.stringify({ status: 'ok', event }), headers: JSON_TYPE };
    }
    if (headers['dd-application-key'] !== appKey) return refusal(403, 'Forbidden');
    const query = queries[route];
    if (query === undefined) return refusal(404, 'Not Found');
    const { isOver, headers: rate } = limited();
    if (isOver)
      return {
        ...refusal(429, 'Rate limit reached. Please try again later.'),
        headers: { ...JSON_TYPE, ...rate },
      };
    const answer = query({
      url,
      body: request.method === 'POST' ? parsed(request, body) : undefined,
      known: state.known,
      now: now(),
    });
    return { status: 200, body: JSON.stringify(answer), headers: { ...JSON_TYPE, ...rate } };
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://datadog');
    const body = Buffer.concat(await request.toArray()).toString();
    await options.before?.();
    const answer = guarded(() => answerTo(request, url, body));
    asked.push({
      request: `${request.method ?? ''} ${url.pathname}`,
      status: answer.status,
      query: url.searchParams.get('query') ?? body,
    });
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS },
    (request, response) => void handle(request, response),
  ).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...state,
    asked,
    instead,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Queried {
  readonly url: URL;
  readonly body: unknown;
  readonly known: ReadonlyMap<string, Known>;
  readonly now: number;
}

const queries: Readonly<Record<string, ((of: Queried) => object) | undefined>> = {
  'GET /api/v1/query': ({ url, known, now }) => queryV1(url.searchParams, known, now),
  'POST /api/v2/query/timeseries': ({ body, known, now }) => queryTimeseries(body, known, now),
  'POST /api/v2/query/scalar': ({ body, known, now }) => queryScalar(body, known, now),
};

const refusal = (status: number, error: string): Answer => ({
  status,
  body: JSON.stringify({ errors: [error] }),
  headers: JSON_TYPE,
});

function guarded(answer: () => Answer): Answer {
  try {
    return answer();
  } catch (error) {
    if (error instanceof BadRequest) return refusal(400, error.message);
    return refusal(500, 'Internal Server Error');
  }
}

function parsed(request: IncomingMessage, body: string): unknown {
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? ''))
    throw new BadRequest('content-type must be application/json');
  if (body.length > LONGEST_BODY) throw new BadRequest('the body is too large');
  try {
    return JSON.parse(body);
  } catch {
    throw new BadRequest('the body is no JSON');
  }
}

/** Counts requests in periods, and says so in the headers, as Datadog does. */
function rateLimit({ limit, periodSeconds }: NonNullable<DatadogOptions['rate']>, now: () => number) {
  let period = -1;
  let count = 0;
  return () => {
    const seconds = now() / 1000;
    const present = Math.floor(seconds / periodSeconds);
    count = present === period ? count + 1 : 1;
    period = present;
    return {
      isOver: count > limit,
      headers: {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-period': String(periodSeconds),
        'x-ratelimit-remaining': String(Math.max(0, limit - count)),
        'x-ratelimit-reset': String(Math.ceil((present + 1) * periodSeconds - seconds)),
        'x-ratelimit-name': 'metric_query',
      },
    };
  };
}
