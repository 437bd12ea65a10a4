import { once } from 'node:events';
import {
  connect,
  constants,
  createSecureServer,
  createServer,
  type ClientHttp2Session,
  type Http2SecureServer,
  type Http2Server,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import { gunzipSync } from 'node:zlib';

/** A call to Temporal as it came. */
export interface FrontCall {
  /** `AddSearchAttributes`, say. */
  readonly method: string;
  readonly authorization: string | undefined;
  /** The serial number of the certificate that was shown. */
  readonly certificate: string | undefined;
  /** The request, as protobuf. */
  readonly body: Buffer;
}

/** A status of gRPC that is answered in the place of the server. */
export interface Refusal {
  readonly code: number;
  readonly message: string;
}

/** How a front lets calls in over TLS. */
export interface FrontTls {
  readonly key: string;
  readonly cert: string;
  /** The serial numbers of the certificates of clients that are let in. */
  readonly clients: readonly string[];
}

/** What stands before a Temporal server that is not ours, and lets in and refuses what it is told to. */
export interface Front extends AsyncDisposable {
  readonly address: string;
  readonly calls: readonly FrontCall[];
  /** Says what is refused; undefined lets the call through. */
  refuse: (call: FrontCall) => Refusal | undefined;
  /** Has other clients let in from now on, and ends the connections that there are. */
  trust(clients: readonly string[]): void;
  /** Goes away, with all connections. */
  cut(): Promise<void>;
  /** Is there again, at the same address. */
  mend(): Promise<void>;
}

/** Statuses that a server which is not ours answers. */
export const refusals = {
  unauthorized: { code: 7, message: 'Request unauthorized.' },
  unauthenticated: { code: 16, message: 'API key is not valid.' },
  unimplemented: { code: 12, message: 'unknown service' },
  unavailable: { code: 14, message: 'no healthy upstream' },
} as const;

/** Puts a front before a Temporal server, on a free port. */
export async function openFront(upstream: string, tls?: FrontTls): Promise<Front> {
  const calls: FrontCall[] = [];
  const sessions = new Set<ServerHttp2Session>();
  let behind: ClientHttp2Session | undefined;
  const session = (): ClientHttp2Session => {
    if (behind !== undefined && !behind.destroyed && !behind.closed) return behind;
    behind = connect(`http://${upstream}`);
    behind.on('error', () => undefined);
    return behind;
  };
  let server: Http2Server | Http2SecureServer;
  let trusted = tls?.clients ?? [];
  const listen = async (port: number): Promise<number> => {
    server =
      tls === undefined
        ? createServer()
        : createSecureServer({ key: tls.key, cert: tls.cert, requestCert: true, rejectUnauthorized: false });
    server.on('session', (one) => {
      const serial = serialOf(one);
      if (tls !== undefined && (serial === undefined || !trusted.includes(serial))) one.destroy();
      sessions.add(one);
      one.on('error', () => undefined).on('close', () => sessions.delete(one));
    });
    server.on('stream', (stream, headers) => {
      stream.on('error', () => undefined);
      void serve(stream, headers);
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const serve = async (stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const call: FrontCall = {
      method: String(headers[':path']).split('/').at(-1) ?? '',
      authorization: headers.authorization,
      certificate: serialOf(stream.session),
      body: messageOf(body),
    };
    calls.push(call);
    const refusal = front.refuse(call);
    if (refusal === undefined) passOn(stream, session().request(ofServer(headers)), body);
    else answer(stream, refusal);
  };
  const cut = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    for (const one of sessions) one.destroy();
    await closed;
  };
  const port = await listen(0);
  const front: Front = {
    address: `127.0.0.1:${port}`,
    calls,
    refuse: () => undefined,
    trust: (next) => {
      trusted = next;
      for (const one of sessions) one.destroy();
    },
    cut,
    mend: async () => void (await listen(port)),
    [Symbol.asyncDispose]: async () => {
      if (server.listening) await cut();
      behind?.destroy();
    },
  };
  return front;
}

// A byte says whether it is compressed, and four how long it is.
const messageOf = (body: Buffer): Buffer => (body[0] === 1 ? gunzipSync(body.subarray(5)) : body.subarray(5));

const serialOf = (session: Http2Session | undefined): string | undefined =>
  session?.socket instanceof TLSSocket ? session.socket.getPeerCertificate().serialNumber : undefined;

const { HTTP2_HEADER_AUTHORITY, HTTP2_HEADER_SCHEME } = constants;

function ofServer(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { [HTTP2_HEADER_AUTHORITY]: _, [HTTP2_HEADER_SCHEME]: __, ...rest } = headers;
  return rest;
}

function answer(stream: ServerHttp2Stream, { code, message }: Refusal): void {
  if (stream.destroyed) return;
  const headers = {
    ':status': 200,
    'content-type': 'application/grpc',
    'grpc-status': String(code),
    'grpc-message': message,
  };
  stream.respond(headers, { endStream: true });
}

function passOn(
  stream: ServerHttp2Stream,
  request: ReturnType<ClientHttp2Session['request']>,
  body: Buffer,
): void {
  let trailers: IncomingHttpHeaders = {};
  let isAnswered = false;
  request.on('response', (headers, flags) => {
    isAnswered = true;
    if (stream.destroyed) return;
    // gRPC puts all into the headers when there is nothing to answer but a status.
    if ((flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0) stream.respond(headers, { endStream: true });
    else stream.respond(headers, { waitForTrailers: true });
  });
  request.on('trailers', (found) => (trailers = found));
  request.on('data', (chunk: Buffer) => void stream.write(chunk));
  request.on('end', () => stream.end());
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  stream.on('close', () => request.close(constants.NGHTTP2_CANCEL));
  request.on('error', () => {
    if (isAnswered) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    else answer(stream, refusals.unavailable);
  });
  request.end(body);
}
