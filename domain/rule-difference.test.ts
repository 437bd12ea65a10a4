import { describe, expect, it } from 'vitest';
import type { ListenerRule } from '../crds/listener-rule.ts';
import { describeDifference, differenceOf } from './rule-difference.ts';
import { arnOf } from './testing/builders.ts';

const group = (name: string, weight: number) => ({ name, arn: arnOf(name), weight });
const rule = (
  change: Partial<ListenerRule> = {},
  forward: Partial<ListenerRule['forward']> = {},
): ListenerRule => ({
  priority: 10,
  hosts: ['a.com', 'b.com'],
  forward: { targetGroups: [group('a', 80), group('b', 20)], ...forward },
  ...change,
});
const sticky = { targetGroupStickiness: { durationSeconds: 60 } };
const target = { targetStickiness: { type: 'lb_cookie', durationSeconds: 60 } } as const;

describe('two rules', () => {
  it.each<[string, ListenerRule, string | undefined]>([
    ['are the same in another order', rule({ hosts: ['B.com', 'a.com'] }), undefined],
    [
      'are the same with their groups in another order',
      rule({}, { targetGroups: [group('b', 20), group('a', 80)] }),
      undefined,
    ],
    ['differ in their priority', rule({ priority: 11 }), 'its priority'],
    ['differ in their conditions', rule({ hosts: ['c.com'] }), 'its conditions'],
    [
      'differ in their weights',
      rule({}, { targetGroups: [group('a', 100), group('b', 0)] }),
      'its weights or its stickiness',
    ],
    ['differ in how they keep clients', rule({}, sticky), 'its weights or its stickiness'],
    [
      'differ in how their target groups keep clients',
      rule({}, target),
      'the stickiness of its target groups',
    ],
    [
      'differ in all of it',
      rule({ priority: 11, hosts: ['c.com'] }, { ...sticky, ...target }),
      'its priority and its conditions and its weights or its stickiness and the stickiness of its target groups',
    ],
  ])('%s', (_, got, want) => {
    const difference = differenceOf(rule(), got);
    expect(difference === undefined ? undefined : describeDifference(difference)).toBe(
      want === undefined ? undefined : `The rule differs in ${want}.`,
    );
  });
});
