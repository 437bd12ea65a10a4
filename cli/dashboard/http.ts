import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assetAt } from './assets.ts';
import { callOf, type Calls } from './calls.ts';
import { end } from './end.ts';
import { MARK, refusalOf } from './guard.ts';
import { headers } from './headers.ts';
import type { Viewers } from './viewer.ts';

/** What the page is served by. */
export interface DashboardOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** The names besides those of the own machine by which it may be asked. */
  readonly hosts: readonly string[];
  readonly viewers: Viewers;
  readonly version: string;
  readonly now: () => number;
  /** Told of what went wrong here; never of what was sent. */
  readonly failed: (error: unknown) => void;
}

/** The page as it is served. */
export interface DashboardServer {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Where whoever stands in front may ask whether the page is served; it tells nothing else. */
const HEALTH = '/healthz';

const MOST_CONNECTIONS = 500;
const REQUEST_MS = 15_000;

/** Serves the page until it is closed. */
export async function serveDashboard(options: DashboardOptions): Promise<DashboardServer> {
  const calls = callOf(options);
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, maxHeaderSize: 32_768 },
    (request, response) => {
      void answer(options, calls, { request, response });
    },
  );
  server.maxConnections = MOST_CONNECTIONS;
  server.listen(options.port, options.host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw isInUse(error) ? new Error(taken(options), { cause: error }) : error;
  }
  return { port: (server.address() as AddressInfo).port, close: () => closed(server) };
}

const isInUse = (error: unknown): boolean =>
  error instanceof Error && Reflect.get(error, 'code') === 'EADDRINUSE';

const taken = ({ host, port }: DashboardOptions): string =>
  `Expected port ${port} of ${host} to be free, got one that something else listens on. End that, or choose another port (--port, OKRA_DASHBOARD_PORT).`;

async function closed(server: Server): Promise<void> {
  const ended = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await ended;
}

async function answer(
  { hosts, failed }: DashboardOptions,
  calls: Calls,
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
): Promise<void> {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  try {
    const path = pathOf(request);
    // A load balancer asks by the address of the pod, which is none of the names.
    if (path === HEALTH) return end(response, 200, { message: 'It serves.' });
    const refusal =
      path === undefined
        ? { status: 400, message: 'Expected a path, got something else.' }
        : refusalOf(askingOf(request, path), hosts);
    if (path === undefined || refusal !== undefined) {
      // What is still sent of a request that is refused is not read.
      response.setHeader('Connection', 'close');
      return end(response, refusal?.status ?? 400, { message: refusal?.message });
    }
    if (path.startsWith('/api/')) return await calls(request, response, path);
    const asset = request.method === 'GET' ? await assetAt(path) : undefined;
    if (asset === undefined) return end(response, 404, { message: `Expected the page at /, got ${path}.` });
    response.setHeader('Content-Type', asset.type);
    response.end(asset.body);
  } catch (error) {
    failed(error);
    if (response.headersSent) response.destroy();
    else end(response, 500, { message: 'Expected an answer, could not make one. Try again.' });
  }
}

function pathOf({ url = '' }: IncomingMessage): string | undefined {
  // What is no path (`*`, or the address of elsewhere) is nobody's here.
  return /^\/(?!\/)/.test(url) && URL.canParse(url, 'http://page')
    ? new URL(url, 'http://page').pathname
    : undefined;
}

const one = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value;

const askingOf = (
  { method = '', headers: sent }: IncomingMessage,
  path: string,
): Parameters<typeof refusalOf>[0] => ({
  method,
  path,
  host: sent.host,
  origin: one(sent.origin),
  site: one(sent['sec-fetch-site']),
  destination: one(sent['sec-fetch-dest']),
  mark: one(sent[MARK]),
  contentType: sent['content-type'],
});
