import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { connectEKS, type EKSCluster } from './eks.ts';
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
  const endpoints = eksEndpoints(connectEKS({ endpoint: `http://127.0.0.1:${port}`, credentials }));
  const ask = (clusterName: string) => endpoints({ region: 'eu-central-1', clusterName });
  return { ask, asked };
}

it('asks EKS once for a cluster that several ask about at once', async () => {
  const { ask, asked } = await anEKS();
  const names = Array.from({ length: 20 }, (_, index) => `shop${index}`);
  const all = [...names, ...names].map((name) => ask(name));
  expect(new Set(await Promise.all(all))).toEqual(new Set([undefined]));
  expect(asked.toSorted()).toEqual(names.toSorted());
});

const scope = { region: 'eu-central-1', clusterName: 'shop1' };
const endpoint: EKSCluster = {
  name: 'shop1',
  region: 'eu-central-1',
  arn: 'arn:aws:eks:eu-central-1:111122223333:cluster/shop1',
  status: 'ACTIVE',
  endpoint: 'https://a',
  tags: {},
};
const answering = (answer: () => Promise<EKSCluster>) => () => ({
  named: async () => ({ clusters: [await answer()], denied: [] }),
});

it('remembers no question that failed, though two had it open at once', async () => {
  let answer: Promise<EKSCluster> = Promise.reject(new Error('Rate exceeded'));
  const endpoints = eksEndpoints(answering(() => answer));
  await Promise.allSettled([endpoints(scope), endpoints(scope)]);
  answer = Promise.resolve(endpoint);
  expect(await endpoints(scope)).toEqual(endpoint);
});

it('keeps what is known while another waits for something newer', { timeout: 5_000 }, async () => {
  let [answer, time]: [Promise<EKSCluster>, number] = [Promise.resolve(endpoint), 1_000];
  const endpoints = eksEndpoints(
    answering(() => answer),
    () => time,
  );
  await endpoints(scope);
  answer = new Promise(() => undefined);
  time = 2_000;
  void endpoints(scope, 1_500);
  expect(await endpoints(scope)).toEqual(endpoint);
});
