import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { assetAt } from './assets.ts';
import { type CallOptions, callOf, type Calls } from './calls.ts';
import { end } from './stream.ts';

/** What the page is served with. */
export interface DashboardOptions extends CallOptions {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** The names besides those of the own machine by which it may be asked. */
  readonly hosts: readonly string[];
  readonly failed: (error: unknown) => void;
}

/** Where whoever stands in front may ask whether the page is served; it tells nothing else. */
const HEALTH = '/healthz';

const MOST_CONNECTIONS = 500;
const REQUEST_MS = 15_000;

/** Serves the page until it is closed. */
export async function serveDashboard(options: DashboardOptions) {
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
  `cannot listen on port ${port} of ${host}: it is in use. Choose another port (--port, OKRA_DASHBOARD_PORT).`;

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
    if (path === HEALTH) return end(response, 200, { message: 'ok' });
    const refusal =
      path === undefined ? { status: 400, message: 'Invalid path.' } : refusalOf(request, path, hosts);
    if (path === undefined || refusal !== undefined) {
      // What is still sent of a request that is refused is not read.
      response.setHeader('Connection', 'close');
      return end(response, refusal?.status ?? 400, { message: refusal?.message });
    }
    if (path.startsWith('/api/')) return await calls(request, response, path);
    const asset = request.method === 'GET' ? await assetAt(path) : undefined;
    if (asset === undefined) return end(response, 404, { message: `${path} not found. The page is at /.` });
    response.setHeader('Content-Type', asset.type);
    response.end(asset.body);
  } catch (error) {
    failed(error);
    if (response.headersSent) response.destroy();
    else end(response, 500, { message: 'Internal error. Try again.' });
  }
}

function pathOf({ url = '' }: IncomingMessage): string | undefined {
  // What is no path (`*`, or the address of elsewhere) is nobody's here.
  return /^\/(?!\/)/.test(url) && URL.canParse(url, 'http://page')
    ? new URL(url, 'http://page').pathname
    : undefined;
}

interface Refusal {
  readonly status: 400 | 403 | 405 | 415 | 421;
  readonly message: string;
}

/** The header that the page sets: no form can, and no page of elsewhere without being asked first whether it may. */
const MARK = 'x-okra-dashboard';

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** Says why a request is not answered; undefined when it comes from the page, or opens it. */
export function refusalOf(
  request: Pick<IncomingMessage, 'method' | 'headers'>,
  path: string,
  hosts: readonly string[],
): Refusal | undefined {
  const { method = '', headers: sent } = request;
  const { host = '' } = sent;
  // A name of elsewhere that has been made to mean this machine (DNS rebinding).
  if (!isNamed(host, [...LOOPBACK, ...hosts]))
    return {
      status: 421,
      message: `Host ${JSON.stringify(host)} not allowed: must be one of ${[...LOOPBACK, ...hosts].join(', ')}. Open the page by one of these names, or add the name to OKRA_DASHBOARD_HOSTS.`,
    };
  if (!['GET', 'HEAD', 'POST', 'DELETE'].includes(method))
    return { status: 405, message: `Method ${method} not allowed: must be GET, POST or DELETE.` };
  // A browser that does not say so, or no browser, has none of these.
  const { 'sec-fetch-site': site = 'none', 'sec-fetch-dest': destination = 'document' } = sent;
  const opens = path === '/' && destination === 'document';
  if (site !== 'same-origin' && site !== 'none' && !opens)
    return { status: 403, message: 'Cross-site request refused.' };
  return path.startsWith('/api/') ? refusalOfCall(method, sent, host) : undefined;
}

function refusalOfCall(
  method: string,
  { origin, ...sent }: IncomingMessage['headers'],
  host: string,
): Refusal | undefined {
  if (sent[MARK] === undefined) return { status: 403, message: `Header ${MARK} is missing. Use the page.` };
  // The scheme is that of whoever speaks TLS in front.
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`)
    return { status: 403, message: 'Request of another origin refused.' };
  if (method !== 'POST' && method !== 'DELETE') return undefined;
  if (origin === undefined) return { status: 403, message: 'Header Origin is missing.' };
  if (method === 'POST' && sent['content-type']?.split(';')[0]?.trim() !== 'application/json')
    return { status: 415, message: 'The content type must be application/json.' };
  return undefined;
}

function isNamed(host: string, names: readonly string[]): boolean {
  const name = /^(\[[0-9a-f:]+\]|[^:/@\s]+)(:\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase();
  return name !== undefined && names.some((one) => one.toLowerCase() === name);
}

/** What every answer says: nothing of elsewhere is loaded or run, no page of elsewhere may hold or read it, and nothing is kept. */
const headers: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    // What lit-html makes templates of is written in the page's own code; nothing else becomes HTML.
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
  ].join('; '),
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  'Cache-Control': 'no-store',
};
