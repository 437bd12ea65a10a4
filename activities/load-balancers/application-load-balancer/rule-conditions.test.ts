import type { RuleCondition } from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, it } from 'vitest';
import type { ListenerRule } from '../../../crds/listener-rule.ts';
import { conditionsIn, toConditions, unsaidIn } from './rule-conditions.ts';

const ruleWith = (match: Partial<ListenerRule>): ListenerRule => ({
  priority: 10,
  forward: { targetGroups: [] },
  ...match,
});

const host = (config: object): RuleCondition => ({ Field: 'host-header', HostHeaderConfig: config });
const path = (config: object): RuleCondition => ({ Field: 'path-pattern', PathPatternConfig: config });
const header = (HttpHeaderName: string, config: object): RuleCondition => ({
  Field: 'http-header',
  HttpHeaderConfig: { HttpHeaderName, ...config },
});
const query = (...pairs: [string, string][]): RuleCondition => ({
  Field: 'query-string',
  QueryStringConfig: { Values: pairs.map(([Key, Value]) => ({ Key, Value })) },
});

describe('conditions', () => {
  it.each<[string, Partial<ListenerRule>, RuleCondition[]]>([
    ['host names', { hosts: ['a.com', 'b.com'] }, [host({ Values: ['a.com', 'b.com'] })]],
    ['regular expressions of host names', { hostRegexes: ['^a$'] }, [host({ RegexValues: ['^a$'] })]],
    ['paths', { pathPatterns: ['/a/*'] }, [path({ Values: ['/a/*'] })]],
    ['regular expressions of paths', { pathRegexes: ['^/a'] }, [path({ RegexValues: ['^/a'] })]],
    [
      'methods',
      { methods: ['GET'] },
      [{ Field: 'http-request-method', HttpRequestMethodConfig: { Values: ['GET'] } }],
    ],
    [
      'addresses',
      { sourceIPs: ['10.0.0.0/8'] },
      [{ Field: 'source-ip', SourceIpConfig: { Values: ['10.0.0.0/8'] } }],
    ],
    [
      'headers by value and by regular expression',
      { headers: { A: ['x'], B: ['y'] }, headerRegexes: { A: ['^z'] } },
      [header('A', { Values: ['x'] }), header('B', { Values: ['y'] }), header('A', { RegexValues: ['^z'] })],
    ],
    ['query parameters', { queryStrings: { v: '1', w: '2' } }, [query(['v', '1'], ['w', '2'])]],
    [
      'a query without names',
      { queryStrings: { '': 'beta' } },
      [{ Field: 'query-string', QueryStringConfig: { Values: [{ Value: 'beta' }] } }],
    ],
    [
      'several conditions on the query string, all of which have to hold',
      {
        queryStringConditions: [
          { values: [{ value: 'beta' }, { key: 'w', value: '2' }] },
          { values: [{ key: 'v', value: '1' }] },
        ],
      },
      [
        {
          Field: 'query-string',
          QueryStringConfig: { Values: [{ Value: 'beta' }, { Key: 'w', Value: '2' }] },
        },
        query(['v', '1']),
      ],
    ],
    [
      'several values of one query parameter',
      { queryStringConditions: [{ values: ['1', '2'].map((value) => ({ key: 'v', value })) }] },
      [query(['v', '1'], ['v', '2'])],
    ],
  ])('are the same there and back: %s', (_, match, conditions) => {
    expect(toConditions(ruleWith(match))).toEqual(conditions);
    expect(conditionsIn(conditions)).toEqual(match);
    expect(unsaidIn(conditions)).toEqual([]);
  });

  it('are read where ELBv2 shows them beside their configuration', () => {
    const plain = [
      { Field: 'host-header', RegexValues: ['^a$'] },
      { Field: 'path-pattern', Values: ['/a'] },
    ];
    expect(conditionsIn(plain)).toEqual({ hostRegexes: ['^a$'], pathPatterns: ['/a'] });
  });

  it.each<[string, RuleCondition[], string]>([
    [
      'two conditions on a header',
      [header('A', { Values: ['x'] }), header('a', { Values: ['y'] })],
      'several http-header conditions on one header',
    ],
    [
      'two regular expressions that a header has to match',
      [header('A', { RegexValues: ['x'] }), header('A', { RegexValues: ['y'] })],
      'several http-header conditions on one header',
    ],
    ['a kind that is new', [{ Field: 'ja4' }], 'a condition of the kind ja4'],
  ])('cannot say %s', (_, conditions, want) => {
    expect(unsaidIn(conditions)).toEqual([expect.stringContaining(want)]);
  });
});
