import { describe, expect, it } from 'vitest';
import { accessOf } from './access.ts';
import { usesOf, withRefusals } from './forwarding-access.ts';
import type { Forwarding, ObservedForwarding } from '../load-balancers/load-balancer.ts';
import { arnOf } from '../testing/builders.ts';
import { groupByVersion } from '../versions/version.ts';

const listener = (name: string): string =>
  `arn:aws:elasticloadbalancing:eu-central-1:111122223333:listener/app/${name}/1/2`;

const groupsOf = (weights: Readonly<Record<string, number>>) =>
  Object.entries(weights).map(([name, weight]) => ({ name, arn: arnOf(name), weight }));

const forwarding = (weights: Readonly<Record<string, number>>, at = 'shop', priority = 10) =>
  ({
    type: 'AWSApplicationLoadBalancer',
    listenerARN: listener(at),
    listener: { rule: { priority, hosts: ['example.com'], forward: { targetGroups: groupsOf(weights) } } },
  }) satisfies Forwarding;
const served = (weights: Readonly<Record<string, number>>): ObservedForwarding => ({
  ...forwarding(weights),
  ruleARN: 'r',
});

const names = (
  asked: Forwarding,
  before: ObservedForwarding | undefined,
  takesBack: boolean,
): readonly string[] =>
  usesOf(asked, before, { takesBack }).map((use) => {
    if (use.of === 'Listener') return 'the listener';
    return use.of === 'TargetGroup' ? (/targetgroup\/(\w+)/.exec(use.arn)?.[1] ?? '') : use.of;
  });

describe('a write to a load balancer', () => {
  const now = served({ a: 80, b: 20 });
  const plain = forwarding({ a: 80, b: 20 });
  const targetStickiness = { type: 'lb_cookie', durationSeconds: 60 } as const;
  const { rule } = plain.listener;
  const keeping: Forwarding = {
    ...plain,
    listener: { rule: { ...rule, forward: { ...rule.forward, targetStickiness } } },
  };
  it.each([
    ['installs', forwarding({ a: 100 }), undefined, ['the listener', 'a'], ['the listener', 'a']],
    ['changes nothing', forwarding({ a: 80, b: 20 }), now, [], []],
    ['leaves out a group at 0', forwarding({ a: 100 }), served({ a: 100, b: 0 }), [], []],
    ['attaches a group at 0', forwarding({ a: 80, b: 20, c: 0 }), now, ['the listener', 'c'], ['c']],
    ['moves weight to what serves', forwarding({ a: 50, b: 50 }), now, ['the listener', 'b'], []],
    ['gives everything back', forwarding({ a: 100, b: 0 }), now, ['the listener', 'a'], []],
    ['falls back to what was not served', forwarding({ c: 100 }), now, ['the listener', 'c'], ['c']],
    ['changes the rule', forwarding({ a: 80, b: 20 }, 'shop', 11), now, ['the listener'], []],
    ['keeps clients with targets', keeping, now, ['the listener', 'a', 'b'], []],
    [
      'moves to another listener',
      forwarding({ a: 80, b: 20 }, 'bank'),
      now,
      ['the listener', 'a', 'b'],
      ['the listener', 'a', 'b'],
    ],
  ])('that %s needs permission for what it brings in', (_, asked, before, forward, back) => {
    expect({ forward: names(asked, before, false), back: names(asked, before, true) }).toEqual({
      forward,
      back,
    });
  });
});

describe('the target groups that a Cell selects', () => {
  const spec = { namespaces: ['shop'], targetGroups: [arnOf('a')] };
  const access = accessOf('shop', [{ metadata: { name: 'shop' }, spec }]);
  const group = (name: string, version: string) => ({ name, arn: arnOf(name), version });
  const selected = [group('a', '1.0.0'), group('b', '2.0.0')];

  it('are left out, with the reason, where the namespace may not use them', () => {
    const { sets, rejected } = groupByVersion(withRefusals(selected, access));
    expect(sets.map(({ version }) => version)).toEqual(['1.0.0']);
    expect(rejected).toEqual([
      { name: 'b', reason: 'NotAllowed', message: expect.stringContaining(`use target group ${arnOf('b')}`) },
    ]);
  });

  it.each([
    ['carry traffic', 1],
    ['are what everything goes back to', 0],
  ])('stay in the rule while they %s, whatever is allowed', (_, weight) => {
    const inRule = [{ ...group('b', '2.0.0'), weight }];
    expect(groupByVersion(withRefusals(selected, access, inRule)).rejected).toEqual([]);
  });

  it('are as they were while no AccessPolicy is about the namespace', () => {
    expect(withRefusals(selected, undefined)).toBe(selected);
  });
});
