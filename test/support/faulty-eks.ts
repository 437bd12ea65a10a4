import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A call to EKS. */
export interface EKSCall {
  readonly action: 'ListClusters' | 'DescribeCluster' | 'Other';
  readonly region: string;
  /** The cluster that is described. */
  readonly cluster?: string | undefined;
}

/** What is answered in the place of the emulator. */
export interface EKSAnswer {
  readonly status: number;
  /** What AWS calls the error. */
  readonly error?: string;
  readonly body: object;
}

/** Says what is answered to a call; undefined leaves that to the emulator. */
export type EKSFault = (call: EKSCall) => EKSAnswer | undefined | Promise<EKSAnswer | undefined>;

/** An EKS that fails when it is told to, before the one of the emulator. */
export interface FaultyEKS extends AsyncDisposable {
  readonly url: string;
  fault: EKSFault | undefined;
}

/** Serves an EKS on a free port that passes on to the emulator what no fault answers. */
export async function serveFaultyEKS(upstream: string): Promise<FaultyEKS> {
  const answer = async (request: IncomingMessage): Promise<Response> => {
    const fault = await eks.fault?.(callOf(request));
    if (fault === undefined) return passOn(upstream, request);
    const { status, error, body } = fault;
    return Response.json(body, { status, headers: error === undefined ? {} : { 'x-amzn-errortype': error } });
  };
  const server = createServer((request, response) => {
    answer(request)
      .then(async (found) => {
        const type = found.headers.get('x-amzn-errortype');
        response
          .writeHead(found.status, {
            'content-type': 'application/json',
            ...(type === null ? {} : { 'x-amzn-errortype': type }),
          })
          .end(await found.text());
      })
      .catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const eks: FaultyEKS = {
    url: `http://127.0.0.1:${port}`,
    fault: undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return eks;
}

function callOf({ url = '/', headers }: IncomingMessage): EKSCall {
  const { pathname } = new URL(url, 'http://eks');
  const region = /Credential=[^/]+\/\d+\/([^/]+)\//.exec(headers.authorization ?? '')?.[1] ?? '';
  const cluster = /^\/clusters\/([^/]+)$/.exec(pathname)?.[1];
  if (cluster !== undefined) return { action: 'DescribeCluster', region, cluster };
  return { action: pathname === '/clusters' ? 'ListClusters' : 'Other', region };
}

/** Okra only reads: what it sends has no body. */
function passOn(
  upstream: string,
  { url = '/', method = 'GET', headers }: IncomingMessage,
): Promise<Response> {
  return fetch(new URL(url, upstream), {
    method,
    headers: {
      authorization: headers.authorization ?? '',
      'x-amz-date': String(headers['x-amz-date'] ?? ''),
    },
  });
}
