import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { Metrics } from '../clients/metrics/metrics.ts';

/** What the health of a process is told from. */
export interface HealthOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** What the process still waits for, a sentence each; empty when it does its work. */
  readonly missing: () => readonly string[];
  readonly metrics: Pick<Metrics, 'scrape' | 'contentType'>;
}

/** A server that tells how a process is. */
export interface HealthServer {
  readonly port: number;
  close(): void;
}

/** Answers `/healthz` while the process lives, `/readyz` with 200 once nothing is missing, and `/metrics`. */
export async function serveHealth({ host, port, missing, metrics }: HealthOptions): Promise<HealthServer> {
  const server = createServer((request, response) => {
    if (request.url === '/metrics') {
      void tellMetrics(metrics, response);
      return;
    }
    const lacks = request.url === '/readyz' ? missing() : [];
    const isKnown = request.url === '/healthz' || request.url === '/readyz';
    response.statusCode = isKnown ? (lacks.length === 0 ? 200 : 503) : 404;
    response.setHeader('Content-Type', 'text/plain');
    response.end(isKnown ? answer(lacks) : 'Expected /healthz, /readyz or /metrics.\n');
  });
  server.listen(port, host);
  await once(server, 'listening');
  // An open socket of a prober must not keep the process.
  server.unref();
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

const answer = (lacks: readonly string[]): string =>
  lacks.length === 0 ? 'ok\n' : lacks.map((one) => `waiting for ${one}\n`).join('');

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
    response.end('Expected to tell all metrics, could not. Ask again.\n');
  }
}
