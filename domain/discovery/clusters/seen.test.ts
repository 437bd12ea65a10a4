import { describe, expect, it } from 'vitest';
import { seenBinding, seenNode, seenPod, trimBinding, trimNode, trimPod } from './seen.ts';

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

describe('what is looked at of an object in a cluster', () => {
  it('is the same of what is left of it', () => {
    expect(seenNode(trimNode(node))).toEqual({
      name: 'a',
      labels: { role: 'web' },
      providerID: 'aws:///i-1',
      address: '10.0.0.1',
      isReady: true,
      isDeleting: false,
    });
    expect(seenPod(trimPod(pod))).toEqual({
      namespace: 'shop',
      name: 'a',
      labels: { role: 'web' },
      address: '10.0.0.2',
      isReady: true,
      isEnding: true,
    });
    expect(seenBinding(trimBinding(binding))).toEqual({
      namespace: 'shop',
      name: 'a',
      labels: { role: 'web' },
      arn: 'arn:web',
      isDeleting: false,
    });
    for (const left of [trimNode(node), trimPod(pod), trimBinding(binding)])
      expect(JSON.stringify(left).length).toBeLessThan(300);
  });

  it.each([{}, { spec: 1, status: null }, { spec: {}, status: { addresses: {}, conditions: 1, podIP: [] } }])(
    'is the same of what is left where it is of no type: %j',
    (rest) => {
      const strange = { metadata: { name: 'a' }, ...rest } as unknown as typeof node &
        typeof pod &
        typeof binding;
      expect(seenNode(trimNode(strange))).toEqual(seenNode(strange));
      expect(seenPod(trimPod(strange))).toEqual(seenPod(strange));
      expect(seenBinding(trimBinding(strange))).toEqual(seenBinding(strange));
    },
  );
});
