import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request with its whole body. */
export interface Asked {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What is answered, as JSON. */
export interface Answered {
  readonly status: number;
  readonly body: object;
}

/** A server that stands in for one of someone else. */
export interface StandIn extends AsyncDisposable {
  readonly url: string;
}

/** Serves what a function answers on a free port of 127.0.0.1. */
export async function serve(answer: (asked: Asked) => Answered | Promise<Answered>): Promise<StandIn> {
  const server = createServer((request, response) => {
    void (async () => {
      const body = Buffer.concat(await request.toArray()).toString();
      const { method = '', headers } = request;
      const answered = await answer({
        method,
        url: new URL(request.url ?? '/', 'http://stand-in'),
        headers,
        body,
      });
      response.writeHead(answered.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answered.body));
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
