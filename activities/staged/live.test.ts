import { expect, it } from 'vitest';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { createLiveReader } from './judging.ts';

const service = {
  group: '',
  version: 'v1',
  resource: 'services',
  namespace: 'nginx',
  name: 'web',
  resourceVersion: '1',
};
const managedFields = [{ time: '2026-11-22T08:00:00Z' }];
const stored = {
  metadata: { uid: 'u', resourceVersion: '1', managedFields },
  spec: { port: 80 },
  status: {},
};

async function editionOf(found: object): Promise<unknown> {
  const client = { get: () => Promise.resolve(found) } as unknown as KubernetesClient;
  return (await createLiveReader(client)(service))?.edition;
}

it('an object of a kind without generations has another edition when it is edited, and not when its status is written', async () => {
  const before = await editionOf(stored);
  const reported = {
    ...stored,
    metadata: { ...stored.metadata, resourceVersion: '2' },
    status: { ready: 1 },
  };
  expect(await editionOf(reported)).toBe(before);
  expect(await editionOf({ ...reported, spec: { port: 81 } })).not.toBe(before);
});
