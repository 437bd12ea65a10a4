import type { Action, Rule, RuleCondition } from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, it } from 'vitest';
import type { CellListenerRule } from '../../../crds/listener-rule.ts';
import { refuseUnsayable } from './rule-find.ts';

const forward: Action = { Type: 'forward', TargetGroupArn: 'arn' };
const oidc: Action = { Type: 'authenticate-oidc', Order: 1 };
const regex: RuleCondition = { Field: 'host-header', HostHeaderConfig: { RegexValues: ['^a$'] } };
const headerRegex: RuleCondition = {
  Field: 'http-header',
  HttpHeaderConfig: { HttpHeaderName: 'x-env', RegexValues: ['^a$'] },
};
const query = (Key: string, Value: string): RuleCondition => ({
  Field: 'query-string',
  QueryStringConfig: { Values: [{ Key, Value }] },
});
const header: RuleCondition = {
  Field: 'http-header',
  HttpHeaderConfig: { HttpHeaderName: 'x-env', Values: ['a'] },
};
const rule = (change: Partial<Rule>): Rule => ({
  RuleArn: 'arn:rule',
  Priority: '10',
  Actions: [forward],
  ...change,
});

function takenOver(one: Rule, wanted: Partial<CellListenerRule> = { hosts: ['a.com'] }): string {
  try {
    refuseUnsayable(one, { priority: 10, ...wanted });
    return 'taken over';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

describe('a rule of someone else', () => {
  it.each<[string, Rule, string, Partial<CellListenerRule>?]>([
    [
      'redirects',
      rule({ Actions: [{ Type: 'redirect' }] }),
      'it must forward to target groups, but has redirect.',
    ],
    [
      'answers by itself',
      rule({ Actions: [{ Type: 'fixed-response' }] }),
      'it must forward to target groups, but has fixed-response.',
    ],
    ['does nothing', rule({ Actions: [oidc] }), 'but has no action that does.'],
    [
      'forwards twice',
      rule({ Actions: [forward, forward] }),
      'it must forward to target groups, but has forward and forward.',
    ],
    [
      'has conditions that cannot be said',
      rule({ Conditions: [header, header] }),
      'listener.rule cannot express several http-header conditions on one header, all of which have to hold, so the rule would lose them.',
    ],
    [
      'has several conditions on the query string of which the Cell names one',
      rule({ Conditions: [query('v', '1'), query('w', '2')] }),
      'it would lose queryStringConditions w=2, which listener.rule does not have.',
      { queryStrings: { v: '1' } },
    ],
    [
      'has a regular expression that the Cell does not name',
      rule({ Conditions: [regex] }),
      'it would lose hostRegexes ^a$, which listener.rule does not have. Add them to listener.rule',
    ],
    [
      'has a regular expression for a header that the Cell does not name',
      rule({ Conditions: [headerRegex] }),
      'it would lose headerRegexes.x-env ^a$, which listener.rule does not have.',
    ],
  ])('is left alone when it %s', (_, one, want, wanted) => expect(takenOver(one, wanted)).toContain(want));

  it.each<[string, Rule, Partial<CellListenerRule>?]>([
    ['authenticates before it forwards', rule({ Actions: [oidc, { ...forward, Order: 2 }] })],
    ['has other host names', rule({ Conditions: [{ Field: 'host-header', Values: ['b.com'] }] })],
    [
      'has the regular expressions of the Cell',
      rule({ Conditions: [regex, headerRegex] }),
      { hostRegexes: ['^a$', '^b$'], headerRegexes: { 'X-Env': ['^a$'] } },
    ],
    [
      'has the several conditions on the query string of the Cell',
      rule({ Conditions: [query('w', '2'), query('v', '1')] }),
      { queryStrings: { v: '1' }, queryStringConditions: [{ values: [{ key: 'w', value: '2' }] }] },
    ],
  ])('is taken over when it %s', (_, one, wanted) => expect(takenOver(one, wanted)).toBe('taken over'));
});
