import { describe, expect, it } from 'vitest';
import type { ListenerRule, Carried } from '../../../crds/listener-rule.ts';
import { describeDifference, describeDrift, differenceOf, type PresentRule } from './rule-difference.ts';
import { arnOf } from '../../testing/builders.ts';

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

const present = (one = rule(), carried: Carried = {}, unsaid: readonly string[] = []): PresentRule => ({
  rule: one,
  carried,
  unsaid,
});
const oidc = { type: 'authenticate-oidc', config: '{"ClientId":"a"}' };
const cognito = { type: 'authenticate-cognito', config: '{"UserPoolArn":"a"}' };
const rewrite = { type: 'url-rewrite', config: '{"Rewrites":[]}' };

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
      'differ in regular expressions',
      rule({ hosts: undefined, hostRegexes: ['a.com', 'b.com'] }),
      'its conditions',
    ],
    [
      'differ in regular expressions for a header',
      rule({ headerRegexes: { 'X-Env': ['c'] } }),
      'its conditions',
    ],
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
    const difference = differenceOf(present(), present(got));
    expect(difference.length === 0 ? undefined : describeDifference(difference)).toBe(
      want === undefined ? undefined : `The rule differs in ${want}.`,
    );
  });
});

describe('conditions on the query string', () => {
  const both = (...values: string[]) => values.map((value) => ({ values: [{ key: 'v', value }] }));
  it.each<[string, Partial<ListenerRule>, Partial<ListenerRule>, boolean]>([
    [
      'are the same in another order',
      { queryStringConditions: both('1', '2') },
      { queryStringConditions: both('2', '1') },
      true,
    ],
    [
      'are the same with one of them as a map',
      { queryStringConditions: both('1', '2') },
      { queryStringConditions: both('2'), queryStrings: { v: '1' } },
      true,
    ],
    [
      'that all have to hold are not those of which one is enough',
      { queryStringConditions: both('1', '2') },
      { queryStringConditions: [{ values: both('1', '2').flatMap(({ values }) => values) }] },
      false,
    ],
    ['are missed', { queryStringConditions: both('1', '2') }, { queryStrings: { v: '1' } }, false],
  ])('%s', (_, want, got, same) =>
    expect(differenceOf(present(rule(want)), present(rule(got)))).toEqual(same ? [] : ['conditions']),
  );
});

describe('what a rule does besides', () => {
  it.each<[string, Carried, PresentRule, string | undefined]>([
    ['is the same', { actions: [oidc] }, present(rule(), { actions: [oidc] }), undefined],
    ['is the same when it is nothing', { actions: [] }, present(rule(), {}), undefined],
    [
      'is lost',
      { actions: [oidc] },
      present(),
      'The rule differs in its other actions. The rule has lost its authenticate-oidc.',
    ],
    [
      'is added',
      {},
      present(rule(), { actions: [cognito] }),
      'The rule does something else besides forwarding: it had other actions none, transforms none; it has other actions authenticate-cognito, transforms none.',
    ],
    [
      'is something else',
      { actions: [oidc] },
      present(rule(), { actions: [cognito] }),
      'The rule does something else besides forwarding: it had other actions authenticate-oidc, transforms none; it has other actions authenticate-cognito, transforms none.',
    ],
    [
      'has other settings',
      { actions: [oidc] },
      present(rule(), { actions: [{ ...oidc, config: '{"ClientId":"b"}' }] }),
      'The rule has other settings for what it does besides forwarding (other actions authenticate-oidc, transforms none).',
    ],
    [
      'has lost a transform',
      { transforms: [rewrite] },
      present(),
      'The rule does something else besides forwarding: it had other actions none, transforms url-rewrite; it has other actions none, transforms none.',
    ],
    [
      'is not all that is another',
      { transforms: [rewrite] },
      present(rule({ priority: 11 }), { transforms: [rewrite] }),
      'The rule differs in its priority.',
    ],
    [
      'is a condition that no object can say',
      {},
      present(rule(), {}, ['several query-string conditions']),
      'The rule differs in its conditions.',
    ],
  ])('%s', (_, carried, got, want) => expect(describeDrift({ rule: rule(), carried }, got)).toBe(want));

  it('has to be put back only where it is lost', () => {
    const wanted = { rule: rule(), carried: { actions: [cognito], transforms: [rewrite] } };
    expect(differenceOf(wanted, present())).toEqual(['actions']);
    expect(differenceOf(wanted, present(rule(), { actions: [oidc] }))).toEqual([]);
  });
});
