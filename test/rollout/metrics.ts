import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';

/** A small HTTP endpoint that analyses measure. */
export interface Metrics extends AsyncDisposable {
  readonly url: string;
  /** What the endpoint answers as `rate`; undefined: it does not answer yet, so that analyses go on running. */
  rate: number | undefined;
  /** What the last one who asked has shown as authorization. */
  readonly authorization: string | undefined;
}

/** Serves `{"rate": …}` on a free port. */
export async function serveMetrics(): Promise<Metrics> {
  let authorization: string | undefined;
  const server = createServer((request, response) => {
    ({ authorization } = request.headers);
    if (metrics.rate === undefined) response.writeHead(503).end();
    else
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ rate: metrics.rate }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const metrics: Metrics = {
    url: `http://127.0.0.1:${port}/`,
    rate: 1,
    get authorization() {
      return authorization;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return metrics;
}
