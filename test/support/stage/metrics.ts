import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';

/** A small HTTP endpoint that analyses measure. */
export interface Metrics extends AsyncDisposable {
  readonly url: string;
  /** Where a rate that is not known yet is -1, and not an error. */
  readonly patientURL: string;
  /** What the endpoint answers as `rate`; undefined: it does not answer yet, so that analyses continue running. */
  rate: number | undefined;
  /** What the last one who asked has shown as authorization. */
  readonly authorization: string | undefined;
}

const PATIENT = '/patient';

/** Serves `{"rate": …}` on a free port. */
export async function serveMetrics(): Promise<Metrics> {
  let authorization: string | undefined;
  const server = createServer((request, response) => {
    ({ authorization } = request.headers);
    const rate = metrics.rate ?? (request.url === PATIENT ? -1 : undefined);
    if (rate === undefined) response.writeHead(503).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ rate }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const metrics: Metrics = {
    url: `http://127.0.0.1:${port}/`,
    patientURL: `http://127.0.0.1:${port}${PATIENT}`,
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
