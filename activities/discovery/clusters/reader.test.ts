import { decodeBase64 } from '../../../clients/kubernetes/base64.ts';
import { setImmediate as afterOthers } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { knownCluster } from '../../../domain/discovery/clusters/known-cluster.ts';
import { clusterReader, type ClusterReads } from './reader.ts';

const metadata = { namespace: 'default', name: 'cdk1', uid: 'u', resourceVersion: '1' };
const secret = { metadata };
const remote = { secret, cluster: knownCluster(secret, decodeBase64) };
const never = (): Promise<string> => new Promise(() => undefined);

/** A process that reads clusters, with no API server behind it. */
function aProcess() {
  const unused = (): never => {
    throw new Error('nothing is asked here');
  };
  const client = new Proxy({}, { get: unused }) as Parameters<typeof clusterReader>[0]['kubernetes'];
  const reach = { is: 'Client', name: 'cdk1', namespaces: [], client } as const;
  const clusters = { reach: () => reach, keep: () => undefined };
  return clusterReader({ kubernetes: client, clusters }, { waitMilliseconds: 20, keepMilliseconds: 60_000 });
}

async function said(reads: ClusterReads, read: () => Promise<string>): Promise<string> {
  const reading = await reads.read(remote, 'TargetGroupBindings', read);
  return reading.ok ? reading.value : reading.reason;
}

/** A process to which a cluster has answered too late in the first sync of a set. */
async function afterLateAnswer() {
  const reader = aProcess();
  const late = Promise.withResolvers<string>();
  expect(await said(reader.begin('set', undefined), () => late.promise)).toBe('ClusterSlow');
  late.resolve('old');
  await afterOthers();
  return reader;
}

describe('a late answer', () => {
  it('counts in the next sync, when the same process makes it', async () => {
    const reader = await afterLateAnswer();
    expect(await said(reader.begin('set', reader.by), never)).toBe('old');
  });

  it.each([
    ['another process has made the sync between, which may have seen newer', 'another'],
    ['nobody knows who has made the sync between', undefined],
  ])('does not count when %s', async (_, last) => {
    const reader = await afterLateAnswer();
    expect(await said(reader.begin('set', last), never)).toBe('ClusterSlow');
    expect(await said(reader.begin('set', reader.by), never)).toBe('ClusterSlow');
  });
});
