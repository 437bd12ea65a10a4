import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { KubeConfig } from '@kubernetes/client-node';
import { describe, expect, it } from 'vitest';
import { kubeconfigDoor } from './kubeconfig.ts';
import { KubernetesError } from './kubernetes-error.ts';
import { NAMESPACE } from './kinds.ts';
import { clientOver } from './kubernetes.ts';
import { makeSend, type Request, type Send } from './kubernetes-transport.ts';
import { heedRetryAfter } from './retry-after.ts';

const refusal = (status: number, retryAfterSeconds?: number): KubernetesError =>
  new KubernetesError({ status, reason: 'x', message: 'storage is (re)initializing', retryAfterSeconds });

const answer = Readable.from(['{}']);

/** Sends a request to a server that refuses it in turn; says the result of it, and how long was waited. */
async function sent(refusals: readonly KubernetesError[], signal = new AbortController().signal) {
  const left = [...refusals];
  const waits: number[] = [];
  const server: Send = () => {
    const next = left.shift();
    return next === undefined ? Promise.resolve(answer) : Promise.reject(next);
  };
  const request: Request = { method: 'PATCH', path: '/x', signal };
  const sleep = (ms: number): Promise<void> => Promise.resolve(void waits.push(ms));
  const came = await heedRetryAfter(server, { longestMs: 5_000, sleep })(request).then(
    () => 'answered',
    (error: unknown) => error,
  );
  return { came, waits };
}

describe('an API server that wants to be asked later', () => {
  it.each<[string, KubernetesError[], number[]]>([
    ['once', [refusal(429, 1)], [1000]],
    ['several times', [refusal(429, 1), refusal(429, 3)], [1000, 3000]],
    ['at once, but not without a pause', [refusal(429, 0)], [100]],
  ])('is asked again when it says: %s', async (_, refusals, waits) => {
    expect(await sent(refusals)).toEqual({ came: 'answered', waits });
  });

  it.each<[string, KubernetesError[], number[]]>([
    ['later than anybody waits', [refusal(429, 6)], []],
    ['later in all than anybody waits', [refusal(429, 4), refusal(429, 2)], [4000]],
    ['without a time', [refusal(429)], []],
    ['by what may have been done already', [refusal(503, 1)], []],
  ])('has its refusal told where it says so %s', async (_, refusals, waits) => {
    expect(await sent(refusals)).toEqual({ came: refusals.at(-1), waits });
  });

  it('is not asked again for who has given up', async () => {
    const reason = new Error('given up');
    expect((await sent([refusal(429, 1)], AbortSignal.abort(reason))).came).toBe(reason);
  });

  it('has its refusal told, and not that time has run out', async () => {
    const late = new DOMException('too long', 'TimeoutError');
    const refused = refusal(429, 1);
    expect((await sent([refused], AbortSignal.abort(late))).came).toBe(refused);
  });
});

describe('the client of an API server', () => {
  it('asks again when the header says, and hears nothing of the refusal', async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked += 1;
      if (asked === 1) response.writeHead(429, { 'Retry-After': '0' }).end('Too many requests.');
      else response.end(JSON.stringify({ metadata: { name: 'x' } }));
    });
    try {
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      const cluster = { name: 'c', server: `http://127.0.0.1:${port}`, skipTLSVerify: true };
      const kubeconfig = new KubeConfig();
      kubeconfig.loadFromClusterAndUser(cluster, { name: 'u' });
      const client = clientOver(makeSend(kubeconfigDoor(kubeconfig)));
      expect(await client.get(NAMESPACE, { name: 'x' })).toEqual({ metadata: { name: 'x' } });
      expect(asked).toBe(2);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
