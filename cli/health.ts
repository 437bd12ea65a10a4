import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Log } from '../clients/log.ts';
import type { Metrics } from '../clients/metrics/metrics.ts';
import type { Waiting } from '../clients/backoff.ts';

interface HealthOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** What the process still waits for, a sentence each; empty when it does its work. */
  readonly missing: () => readonly string[];
  readonly metrics: Pick<Metrics, 'scrape' | 'contentType'>;
}

/** Answers `/healthz` while the process lives, `/readyz` with 200 once nothing is missing, and `/metrics`. */
export async function serveHealth({ host, port, missing, metrics }: HealthOptions) {
  const server = createServer((request, response) => {
    if (request.url === '/metrics') {
      void tellMetrics(metrics, response);
      return;
    }
    const lacks = request.url === '/readyz' ? missing() : [];
    const isKnown = request.url === '/healthz' || request.url === '/readyz';
    response.statusCode = isKnown ? (lacks.length === 0 ? 200 : 503) : 404;
    response.setHeader('Content-Type', 'text/plain');
    const text = lacks.length === 0 ? 'ok\n' : lacks.map((one) => `waiting for ${one}\n`).join('');
    response.end(isKnown ? text : 'Not found: use /healthz, /readyz or /metrics.\n');
  });
  server.listen(port, host);
  await once(server, 'listening');
  // An open socket of a prober must not keep the process.
  server.unref();
  return { port: (server.address() as AddressInfo).port, close: (): void => void server.close() };
}

async function tellMetrics(
  { scrape, contentType }: HealthOptions['metrics'],
  response: ServerResponse,
): Promise<void> {
  try {
    const text = await scrape();
    response.setHeader('Content-Type', contentType);
    response.end(text);
  } catch {
    response.statusCode = 500;
    response.end('cannot collect all metrics. Try again.\n');
  }
}

/** What a process has to have before it does its work. */
export type Readiness = ReturnType<typeof createReadiness>;

/** Begins with nothing being there; logs whenever a condition is fulfilled, and whenever it is so no more. */
export function createReadiness(conditions: readonly string[], log: Log) {
  const reasons = new Map(conditions.map((condition) => [condition, 'not yet']));
  return {
    /** By whom one of the conditions is told of. */
    of:
      (condition: string): Waiting =>
      (reason) => {
        const before = reasons.get(condition);
        if (reason === undefined) reasons.delete(condition);
        else reasons.set(condition, reason);
        if (before !== undefined && reason === undefined) log.info({ condition }, 'ready');
        if (before === undefined && reason !== undefined)
          log.warn({ condition, reason }, 'not ready any more');
      },
    states: () => conditions.map((condition) => ({ condition, fulfilled: !reasons.has(condition) })),
    /** What the process still waits for, or waits for again, a sentence each; empty when it does its work. */
    missing: (): readonly string[] =>
      conditions.flatMap((condition) => {
        const reason = reasons.get(condition);
        return reason === undefined ? [] : [`${condition}: ${reason}`];
      }),
  };
}
