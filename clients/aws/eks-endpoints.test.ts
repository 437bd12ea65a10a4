import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { eksEndpoints } from './eks-endpoints.ts';

/** An EKS that knows no cluster, and the names that it was asked for. */
async function anEKS() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push((request.url ?? '').slice('/clusters/'.length));
    const headers = { 'content-type': 'application/json', 'x-amzn-errortype': 'ResourceNotFoundException' };
    setImmediate(() => response.writeHead(404, headers).end('{}'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const credentials = () => Promise.resolve({ accessKeyId: 'AKIA', secretAccessKey: 'super-secret' });
  const endpoints = eksEndpoints({ endpoint: `http://127.0.0.1:${port}`, credentials });
  const ask = (clusterName: string, whose: string) =>
    endpoints({ region: 'eu-central-1', clusterName }, 0, whose);
  return { ask, asked };
}

it('asks EKS for the clusters of one namespace beside those of another, however many there are', async () => {
  const { ask, asked } = await anEKS();
  const all = Array.from({ length: 40 }, (_, index) => ask(`shop${index}`, 'shop'));
  all.push(ask('bank', 'bank'));
  expect(new Set(await Promise.all(all))).toEqual(new Set([undefined]));
  expect(asked).toHaveLength(41);
  expect(asked.indexOf('bank')).toBeLessThan(8);
});

it('lets nobody wait behind all that another namespace asks, because that names the same cluster last', async () => {
  const { ask, asked } = await anEKS();
  const all = Array.from({ length: 40 }, (_, index) => ask(`shop${index}`, 'shop'));
  all.push(ask('bank', 'shop'), ask('bank', 'bank'), ask('bank', 'bank'));
  await Promise.all(all);
  expect(asked.indexOf('bank')).toBeLessThan(8);
  expect(asked).toHaveLength(42);
});
