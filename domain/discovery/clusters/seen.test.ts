import { describe, expect, it } from 'vitest';
import { readBinding, readSeen, trimRemote, type RemoteObject } from './seen.ts';

const long = 'x'.repeat(100_000);
const metadata = {
  name: 'a',
  namespace: 'shop',
  labels: { role: 'web', long, 'no key': '' },
  annotations: { long },
  managedFields: [long],
};
const conditions = [
  { type: 'MemoryPressure', status: 'False', message: long },
  { type: 'Ready', status: 'True', message: long },
];

const node = {
  metadata,
  spec: { providerID: 'aws:///i-1', podCIDR: long },
  status: {
    addresses: [
      { type: 'Hostname', address: long },
      { type: 'InternalIP', address: '10.0.0.1', more: long },
      { type: 'InternalIP', address: long },
    ],
    conditions,
    images: [long],
  },
};
const pod = {
  metadata: { ...metadata, deletionTimestamp: '2026-11-23T00:00:00Z' },
  spec: { long },
  status: { podIP: '10.0.0.2', phase: 'Running', conditions, message: long },
};
const binding = { metadata, spec: { targetGroupARN: 'arn:web', networking: long } };

/** What is left of an object of which more is said than is looked at. */
const left = (object: object): RemoteObject => trimRemote(object as RemoteObject);

describe('what is looked at of an object in a cluster', () => {
  it('is the same of what is left of it', () => {
    expect(readSeen(left(node))).toEqual({
      namespace: 'shop',
      name: 'a',
      labels: { role: 'web' },
      providerID: 'aws:///i-1',
      address: '10.0.0.1',
      isReady: true,
      isEnding: false,
    });
    expect(readSeen(left(pod))).toEqual({
      namespace: 'shop',
      name: 'a',
      labels: { role: 'web' },
      address: '10.0.0.2',
      isReady: true,
      isEnding: true,
    });
    expect(readBinding(left(binding))).toEqual({
      namespace: 'shop',
      name: 'a',
      labels: { role: 'web' },
      arn: 'arn:web',
      isDeleting: false,
    });
    for (const object of [node, pod, binding]) expect(JSON.stringify(left(object)).length).toBeLessThan(300);
  });

  it('is of its labels those that an API server lets it have', () => {
    const labels = { role: 'web', 'a b': 'x', long: 'x'.repeat(4_000_000) };
    expect(left({ metadata: { name: 'a', labels } }).metadata.labels).toEqual({ role: 'web' });
    expect(readSeen(left({ metadata: { name: 'a', labels: null } })).labels).toEqual({});
  });

  const nothing = { name: 'a', labels: {} };
  it.each<unknown>([
    {},
    { spec: 1, status: null },
    {
      spec: { targetGroupARN: 1, providerID: [] },
      status: { addresses: {}, conditions: 1, podIP: [], phase: 1 },
    },
    {
      status: {
        addresses: [null, 'x', { type: 1, address: {} }, { type: 'InternalIP', address: {} }],
        conditions: [
          { type: 'Ready', status: {} },
          { type: {}, status: 'True' },
        ],
      },
    },
  ])('is nothing where it is of no type: %j', (rest) => {
    const strange = left({ metadata: { name: 'a' }, ...(rest as object) });
    expect(strange).toEqual({ metadata: nothing, spec: {}, status: {} });
    expect(readSeen(strange)).toMatchObject({
      ...nothing,
      address: undefined,
      isReady: false,
      isEnding: false,
    });
    expect(readBinding(strange)).toMatchObject({ ...nothing, arn: undefined, isDeleting: false });
  });
});
