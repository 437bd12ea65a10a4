import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { expect, it } from 'vitest';
import { boundedRequest } from './bounded-request.ts';
import { openKubeconfig } from './kubernetes/kubeconfig.ts';
import { openRemote, type Endpoint } from './kubernetes/kubernetes-endpoint.ts';
import { makeSend } from './kubernetes/kubernetes-transport.ts';
import { connectPrometheus } from './prometheus/client.ts';

/** What a client says first to a server at this address: its ClientHello, which names the protocols that it speaks. */
async function firstWords(call: (server: string, signal: AbortSignal) => Promise<unknown>): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const given = new AbortController();
  const calling = call(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, given.signal).catch(
    () => undefined,
  );
  const [socket] = await once(server, 'connection');
  const [hello] = await once(socket, 'data');
  socket.destroy();
  given.abort();
  await calling;
  server.close();
  return String(hello.toString('latin1'));
}

const exec = {
  apiVersion: 'client.authentication.k8s.io/v1',
  command: process.execPath,
  args: [
    '-e',
    `console.log(JSON.stringify({apiVersion:'client.authentication.k8s.io/v1',kind:'ExecCredential',status:{token:'t'}}))`,
  ],
  interactiveMode: 'Never',
};

const kubeconfig = (server: string, user: object): Endpoint => {
  const made = new KubeConfig();
  made.loadFromClusterAndUser({ name: 'a', server, skipTLSVerify: true }, { name: 'a', ...user });
  return openKubeconfig(made);
};

const version = (endpoint: Endpoint, signal: AbortSignal): Promise<unknown> =>
  makeSend(endpoint)({ method: 'GET', path: '/version', signal });

it.each<[string, (server: string, signal: AbortSignal) => Promise<unknown>]>([
  ['an API server by a token', (server, signal) => version(kubeconfig(server, { token: 't' }), signal)],
  ['an API server by a program', (server, signal) => version(kubeconfig(server, { exec }), signal)],
  [
    'the API server of another cluster',
    (server, signal) =>
      version(openRemote({ server, tls: { rejectUnauthorized: false }, headers: {} }), signal),
  ],
  [
    'Prometheus',
    (address, signal) =>
      connectPrometheus()(
        { address },
        { query: 'up', window: { from: 0, to: 60_000, bucketMs: 60_000 } },
        signal,
      ),
  ],
  [
    'Datadog',
    (url, signal) => boundedRequest({ provider: 'Datadog', url, method: 'GET', headers: {}, signal }),
  ],
])('%s is spoken to by HTTP/1.1', async (_, call) => {
  const hello = await firstWords(call);
  expect(hello).toContain('http/1.1');
  expect(hello).not.toContain('\u0002h2');
});
