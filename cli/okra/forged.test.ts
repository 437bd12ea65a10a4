import { expect, it } from 'vitest';
import type { EKSCluster } from '../../clients/aws/eks.ts';
import { aCell, aTargetGroup, paused } from '../okractl/testing/objects.ts';
import { eachForged, forgedIn, worldsOf } from '../testing/forged.ts';
import { runOkra, type FakeObject } from './testing/shell.ts';

const encoded = (text: string): string => Buffer.from(text).toString('base64');

const objects: readonly FakeObject[] = [
  aCell(paused),
  aTargetGroup('web-a', '1.0.0'),
  aTargetGroup('web-b', 'none'),
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'east',
      namespace: 'default',
      labels: { 'argocd.argoproj.io/secret-type': 'cluster', service: 'demo' },
    },
    data: { name: encoded('east'), server: encoded('https://east'), config: encoded('{}') },
  } as FakeObject,
];
const eksCluster: EKSCluster = {
  name: 'east',
  arn: 'arn:aws:eks:ap-northeast-1:111122223333:cluster/east',
  region: 'ap-northeast-1',
  status: 'ACTIVE',
  endpoint: 'https://east.example.com',
  caData: 'Zm9v',
  tags: { Service: 'demo' },
};

it.each([
  [['get', 'awstargetgroups']],
  [['get', 'awstargetgroups', '-o', 'name']],
  [['get', 'latestawstargetgroups']],
  [['get', 'clusters']],
  [['get', 'clusters', '-o', 'name']],
  [['sync', 'cell', 'web']],
  [['sync', 'cell', 'web', '--dry-run']],
  [['delete', 'cluster', 'east', '--dry-run']],
])('a text that someone else has written begins no line of %j', async (words) => {
  const forged = [];
  for (const world of worldsOf(objects)) {
    const { out, err } = await runOkra(words, { objects: world });
    forged.push(...forgedIn(out), ...forgedIn(err));
  }
  expect(forged).toEqual([]);
});

it.each([
  [['sync', 'clusterset', '--eks-tags', 'Service=demo']],
  [['sync', 'clusterset', '--eks-tags', 'Service=demo', '--create=false']],
  [['create', 'cluster', 'west']],
])('nor does what EKS says begin one of %j', async (words) => {
  for (const forged of eachForged(eksCluster)) {
    const { out, err } = await runOkra(words, { eksClusters: [forged as EKSCluster] });
    expect([...forgedIn(out), ...forgedIn(err)]).toEqual([]);
  }
});
