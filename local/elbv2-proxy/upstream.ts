import { Agent, request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import type { RawRequest } from './protocol/request.ts';

/** An HTTP answer with its whole body. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends a request to the emulator behind the proxy. */
export type Upstream = (request: RawRequest) => Promise<RawAnswer>;

const hopByHop = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'expect',
  'te',
  'trailer',
]);

/** Drops the headers that speak of one connection only. */
export function endToEnd(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => !hopByHop.has(name) && value !== undefined),
  );
}

/** Opens the way to the emulator; the caller's headers stay, because they route the call and name the account. */
export function createUpstream(url: string): Upstream {
  const { hostname, port } = new URL(url);
  // A connection that stays saves the emulator a thread, and both sides a third or more of what a call takes.
  const agent = new Agent({ keepAlive: true });
  return (raw) =>
    new Promise((resolve, reject) => {
      const headers = { ...endToEnd(raw.headers), 'content-length': String(raw.body.length) };
      const call = httpRequest(
        { hostname, port, method: raw.method, path: raw.path, headers, agent },
        (answer) => {
          const parts: Buffer[] = [];
          answer.on('data', (part: Buffer) => parts.push(part));
          answer.on('error', reject);
          answer.on('end', () =>
            resolve({
              status: answer.statusCode ?? 502,
              headers: answer.headers,
              body: Buffer.concat(parts),
            }),
          );
        },
      );
      call.on('error', reject);
      call.end(raw.body);
    });
}
