import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { eksEndpoints, keptEndpoints, type DescribeEKSCluster } from './eks-endpoints.ts';

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

const scope = { region: 'eu-central-1', clusterName: 'shop1' };
const endpoint = { arn: 'arn:aws:eks:eu-central-1:111122223333:cluster/shop1', endpoint: 'https://a' };

it('remembers no question that failed, though two namespaces had it open at once', async () => {
  let answer: ReturnType<DescribeEKSCluster> = Promise.reject(new Error('Rate exceeded'));
  const endpoints = keptEndpoints(() => answer);
  await Promise.allSettled([endpoints(scope, 0, 'shop'), endpoints(scope, 0, 'bank')]);
  answer = Promise.resolve(endpoint);
  expect(await endpoints(scope, 0, 'shop')).toEqual(endpoint);
});

it('keeps what is known while another namespace waits for something newer', { timeout: 5_000 }, async () => {
  let [answer, time]: [ReturnType<DescribeEKSCluster>, number] = [Promise.resolve(endpoint), 1_000];
  const endpoints = keptEndpoints(
    () => answer,
    () => time,
  );
  await endpoints(scope, 0, 'bank');
  answer = new Promise(() => undefined);
  time = 2_000;
  void endpoints(scope, 1_500, 'shop');
  expect(await endpoints(scope, 0, 'bank')).toEqual(endpoint);
});

it('is told by no older answer that comes later', async () => {
  const answers = [Promise.withResolvers<typeof endpoint>(), Promise.withResolvers<typeof endpoint>()];
  let time = 0;
  const endpoints = keptEndpoints(
    () => answers[time - 1]!.promise,
    () => time,
  );
  time = 1;
  const older = endpoints(scope, 0, 'shop');
  time = 2;
  const newer = endpoints(scope, 0, 'bank');
  answers[1]!.resolve({ ...endpoint, endpoint: 'https://b' });
  await newer;
  answers[0]!.resolve(endpoint);
  await older;
  expect(await endpoints(scope, 0, 'bank')).toMatchObject({ endpoint: 'https://b' });
});
