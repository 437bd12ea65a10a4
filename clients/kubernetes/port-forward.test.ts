import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { KubeConfig } from '@kubernetes/client-node';
import { afterEach, expect, it, vi } from 'vitest';
import { forwardPort } from './port-forward.ts';

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

const DATA = 0;
const ERROR = 1;
const PORT = Buffer.from([0x9a, 0x1f]);

/** A message of a WebSocket as a server sends it, of a channel. */
const message = (channel: number, bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from([0x82, bytes.length + 1, channel]), bytes]);

/** The bytes of a short message of a client, with its channel before them. */
function unmasked(frame: Buffer): Buffer {
  const length = frame.readUInt8(1) & 0x7f;
  const mask = frame.subarray(2, 6);
  return Buffer.from(frame.subarray(6, 6 + length).map((byte, index) => byte ^ mask.readUInt8(index % 4)));
}

/** Stands in for an API server that connects to pods as `serve` does; undefined refuses. */
async function aServer(serve?: (socket: Duplex) => void) {
  const asked: string[] = [];
  const server = createServer();
  const sockets = new Set<Duplex>();
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`);
    if (serve === undefined)
      return socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const head = [
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${createHash('sha1').update(key).digest('base64')}`,
      'Sec-WebSocket-Protocol: v4.channel.k8s.io',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    for (const channel of [DATA, ERROR]) socket.write(message(channel, PORT));
    serve(socket);
    return undefined;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const kubeconfig = new KubeConfig();
  kubeconfig.loadFromClusterAndUser(
    { name: 'test', server: `http://127.0.0.1:${port}`, skipTLSVerify: true },
    { name: 'ann', token: 'of-ann' },
  );
  return { asked, kubeconfig };
}

const pod = { namespace: 'okra', name: 'okra-dashboard-1', port: 8090 };

it('carries bytes to a port of a pod and back, in the name of the person', async () => {
  const { asked, kubeconfig } = await aServer((socket) => {
    socket.on('data', (frame: Buffer) => {
      if ((frame.readUInt8(0) & 0xf) !== 2) return;
      const sent = unmasked(frame);
      socket.write(message(DATA, Buffer.from(`${sent.readUInt8(0)}:${sent.subarray(1).toString()}`)));
    });
  });
  const stream = await forwardPort(kubeconfig, pod);
  stream.write('hello');
  const [answer] = (await once(stream, 'data')) as [Buffer];
  expect(answer.toString()).toBe('0:hello');
  expect(asked).toEqual([
    'GET /api/v1/namespaces/okra/pods/okra-dashboard-1/portforward?ports=8090 Bearer of-ann',
  ]);
  stream.destroy();
});

it('ends with what the kubelet says of a port that nothing listens on', async () => {
  const { kubeconfig } = await aServer((socket) => {
    socket.write(message(ERROR, Buffer.from('connection refused')));
  });
  const stream = await forwardPort(kubeconfig, pod);
  await vi.waitFor(() => expect(stream.errored?.message).toBe('connection refused'));
});

it('ends when the other side does', async () => {
  const { kubeconfig } = await aServer((socket) => {
    socket.end(Buffer.from([0x88, 0]));
  });
  const stream = await forwardPort(kubeconfig, pod);
  stream.resume();
  await once(stream, 'end');
});

it('says how the API server refuses', async () => {
  const { kubeconfig } = await aServer();
  await expect(forwardPort(kubeconfig, pod)).rejects.toThrow('Unexpected server response: 403');
});
