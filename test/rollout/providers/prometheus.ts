import { startPrometheus, type Prometheus } from '../../../local/prometheus/start.ts';
import { serve, type StandIn } from './server.ts';

/** The real Prometheus behind a proxy that wants a bearer token, which Prometheus itself cannot ask for. */
export interface GuardedPrometheus extends StandIn {
  /** The queries that were let through. */
  readonly asked: string[];
  /** Has requests counted of a version, now and in the next minutes, of which so many in a hundred succeed. */
  readonly count: (version: string, goodOfHundred: number) => Promise<void>;
  readonly push: Prometheus['push'];
}

const STEP_MS = 10_000;

/** Starts a Prometheus, and what stands before it. */
export async function guardPrometheus(token: string): Promise<GuardedPrometheus> {
  const prometheus = await startPrometheus();
  const asked: string[] = [];
  const proxy = await serve(async ({ method, url, headers, body }) => {
    if (headers.authorization !== `Bearer ${token}`) return { status: 401, body: { error: 'Unauthorized' } };
    const answer = await fetch(new URL(`${url.pathname}${url.search}`, prometheus.url), {
      method,
      headers: { 'content-type': headers['content-type'] ?? '' },
      body,
    });
    asked.push(new URLSearchParams(body).get('query') ?? '');
    return { status: answer.status, body: (await answer.json()) as object };
  });
  const count = async (version: string, good: number): Promise<void> => {
    const from = Date.now() - 60_000;
    const counter = (status: string, perStep: number) => ({
      name: 'http_requests_total',
      labels: { version, status },
      // As far ahead as a test may take, since a counter that stands still has no rate.
      points: Array.from({ length: 40 }, (_, at) => [from + at * STEP_MS, at * perStep] as const),
    });
    await prometheus.push([counter('200', good), counter('500', 100 - good)]);
  };
  return {
    url: proxy.url,
    asked,
    count,
    push: prometheus.push,
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]();
      await prometheus[Symbol.asyncDispose]();
    },
  };
}
