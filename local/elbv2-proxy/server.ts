import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { handle } from './call.ts';
import type { ProxyState, Reply } from './handled.ts';
import { control } from './control-server.ts';
import { createFaults } from './faults.ts';
import { judgeOther } from './iam/judge.ts';
import { createCallLog } from './log.ts';
import { elbRequestOf, type RawRequest } from './protocol/request.ts';
import { encodeAnswer, encodeError, type AwsError } from './protocol/xml.ts';
import { defaultSettings } from './switches.ts';
import { createBuckets } from './throttle.ts';
import { createUpstream, endToEnd } from './upstream.ts';
import { createScopes } from './world/scopes.ts';

/** How a proxy is started. */
export interface ProxyOptions {
  /** The emulator's address. */
  readonly upstream: string;
  /** The port to listen on; a free one when absent. */
  readonly port?: number;
  /** The address to listen at; 127.0.0.1 when absent. */
  readonly host?: string;
}

/** A proxy that listens. */
export interface RunningProxy {
  readonly url: string;
  close(): Promise<void>;
}

function createState(upstreamUrl: string): ProxyState {
  const upstream = createUpstream(upstreamUrl);
  return {
    upstream,
    scopes: createScopes(upstream),
    buckets: createBuckets(),
    faults: createFaults(createBuckets()),
    log: createCallLog(),
    targets: new Map(),
    policies: new Map(),
    settings: defaultSettings,
    applied: 0,
  };
}

async function readRequest(request: IncomingMessage): Promise<RawRequest> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return {
    method: request.method ?? 'GET',
    path: request.url ?? '/',
    headers: request.headers,
    body: Buffer.concat(parts),
  };
}

function send(response: ServerResponse, action: string, reply: Reply): void {
  if (reply.kind === 'drop') {
    response.destroy();
    return;
  }
  const requestId = randomUUID();
  const headers = { 'content-type': 'text/xml', 'x-amzn-requestid': requestId };
  const status = reply.kind === 'error' ? reply.error.status : 200;
  response.writeHead(status, headers);
  response.end(
    reply.kind === 'error'
      ? encodeError(reply.error, requestId)
      : encodeAnswer(action, reply.result, requestId),
  );
}

function refuse(response: ServerResponse, error: AwsError, speaksJson: boolean): void {
  const type = speaksJson ? 'application/json' : 'text/xml';
  response.writeHead(error.status, { 'content-type': type, 'x-amzn-errortype': `${error.code}Exception` });
  response.end(speaksJson ? JSON.stringify({ message: error.message }) : encodeError(error, randomUUID()));
}

async function passOn(state: ProxyState, raw: RawRequest, response: ServerResponse): Promise<void> {
  const refusal = judgeOther(state.policies, raw);
  if (refusal !== undefined) {
    const speaksJson = raw.headers.authorization?.includes('/eks/') === true || 'x-amz-target' in raw.headers;
    refuse(response, refusal, speaksJson);
    return;
  }
  try {
    const answer = await state.upstream(raw);
    if (raw.path.startsWith('/moto-api/reset')) state.scopes.clear();
    response.writeHead(answer.status, endToEnd(answer.headers));
    response.end(answer.body);
  } catch (error) {
    const got = error instanceof Error ? error.message : String(error);
    response.writeHead(503, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ error: `Expected the emulator behind the proxy to answer, got ${got}. Start it.` }),
    );
  }
}

async function serve(state: ProxyState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const raw = await readRequest(request);
  if (raw.path.startsWith('/_proxy/')) {
    const { status, body } = control(state, raw);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
    return;
  }
  const elb = elbRequestOf(raw);
  if (elb === undefined) await passOn(state, raw, response);
  else send(response, elb.action, await handle(state, elb));
}

// Five seconds, which Node.js has by itself, pass while a busy machine lets neither side do anything; a call that was sent
// meanwhile would be lost, and its caller could not tell whether it was made.
const KEEP_ALIVE_MS = 600_000;

/** Starts the proxy. */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const state = createState(options.upstream);
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    // A caller that goes away while it is read or answered is no fault of the proxy.
    serve(state, request, response).catch(() => response.destroy());
  });
  server.listen(options.port ?? 0, options.host ?? '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
