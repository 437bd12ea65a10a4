import { describe, expect, it } from 'vitest';
import type { ELBv2 } from '../../clients/aws/elbv2.ts';
import { arnOf } from '../../domain/testing/builders.ts';
import { connectionsOf, delaysFrom } from './connections.ts';

const group = (name: string, weight: number) => ({ name, arn: arnOf(name), weight });
const looked = (name: string, draining: number) => ({
  targetGroupARN: arnOf(name),
  healthy: 1,
  total: 1 + draining,
  others: '',
  draining,
});
const written = {
  forwarding: {
    type: 'AWSNetworkLoadBalancer' as const,
    listenerARN: 'arn:aws:elasticloadbalancing:ap-northeast-1:111122223333:listener/net/demo/a/b',
    listener: { forward: { targetGroups: [group('a', 80), group('b', 20), group('c', 0)] } },
  },
  before: [group('a', 100), group('b', 0), group('c', 0)],
  gaining: [looked('b', 1)],
};
const attributes = { 'deregistration_delay.timeout_seconds': '120', 'slow_start.duration_seconds': '30' };

/** What is said of the groups, and which of them were asked about. */
async function said(attributesOf: ELBv2['attributesOf'], change: Partial<typeof written> = {}) {
  const asked: string[] = [];
  const elbv2: Pick<ELBv2, 'attributesOf'> = {
    attributesOf: (arn, signal) => {
      asked.push(arn);
      return attributesOf(arn, signal);
    },
  };
  const { signal } = new AbortController();
  const found = await connectionsOf(
    { ...written, ...change },
    delaysFrom(() => elbv2),
    signal,
  );
  return { said: Object.fromEntries(found.map((one) => [one.targetGroupARN, one.message])), asked };
}

describe('what is said of connections after a write', () => {
  it('is about the groups whose weight it has changed, and asks of those that gain alone', async () => {
    expect(await said(() => Promise.resolve(attributes))).toEqual({
      said: {
        [arnOf('a')]: expect.stringContaining('stay with it') as string,
        [arnOf('b')]:
          '1 of its targets is draining: open connections may continue for 120s (deregistration delay). A target that becomes healthy has its full share after 30s (slow start).',
      },
      asked: [arnOf('b')],
    });
  });

  it('leaves out what cannot be read', async () => {
    const { said: texts } = await said(() => Promise.reject(new Error('Rate exceeded')));
    expect(texts[arnOf('b')]).toContain('until their deregistration delay is over');
  });

  it('asks nothing where traffic is taken back', async () => {
    const { asked } = await said(() => Promise.resolve(attributes), { gaining: [] });
    expect(asked).toEqual([]);
  });

  it('asks a group once a minute, however often its weight changes', async () => {
    const asked: number[] = [];
    let now = 0;
    const attributesOf = () => (asked.push(now), Promise.resolve(attributes));
    const delays = delaysFrom(
      () => ({ attributesOf }),
      () => now,
    );
    for (now of [0, 20_000, 59_999, 60_000, 61_000]) await delays(arnOf('b'), new AbortController().signal);
    expect(asked).toEqual([0, 60_000]);
  });

  it('does not wait long for an answer', async () => {
    const never: ELBv2['attributesOf'] = (_, signal) =>
      new Promise((__, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));
    expect((await said(never)).said).toHaveProperty([arnOf('a')]);
  });
});
