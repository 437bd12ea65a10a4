import type { CellListenerRule, ListenerRule } from '../../../crds/listener-rule.ts';
import { canonical, compareText } from '../../kubernetes/canonical.ts';
import { given } from '../../model/fields.ts';

/** What a rule is known by: its priority and its conditions, wherever it forwards to. */
export type Matching = Omit<ListenerRule, 'forward'>;

type ValueField = 'host-header' | 'path-pattern' | 'http-request-method' | 'source-ip';

type MatchedBy = 'value' | 'regex';

/** One condition of a listener rule under ELBv2's own field name (API_RuleCondition). */
export type RuleMatch =
  | { readonly field: ValueField; readonly by: MatchedBy; readonly values: readonly string[] }
  | {
      readonly field: 'http-header';
      readonly header: string;
      readonly by: MatchedBy;
      readonly values: readonly string[];
    }
  | {
      readonly field: 'query-string';
      readonly pairs: readonly QueryPair[];
    };

interface QueryPair {
  readonly key: string;
  readonly value: string;
}

/** The conditions of a rule in one order, with the case that ELBv2 ignores taken away. */
export function matchesOf(rule: Matching): readonly RuleMatch[] {
  return [
    ...values(
      'host-header',
      rule.hosts?.map((host) => host.toLowerCase()),
    ),
    ...values('host-header', rule.hostRegexes, 'regex'),
    ...values('path-pattern', rule.pathPatterns),
    ...values('path-pattern', rule.pathRegexes, 'regex'),
    ...values(
      'http-request-method',
      rule.methods?.map((method) => method.toUpperCase()),
    ),
    ...values('source-ip', rule.sourceIPs),
    ...headers(rule.headers, 'value'),
    ...headers(rule.headerRegexes, 'regex'),
    ...queriesOf(rule).map((pairs) => ({ field: 'query-string' as const, pairs })),
  ];
}

/** Whether two rules match the same requests, whatever the order in which their conditions are written. */
export function sameMatch(a: Matching, b: Matching): boolean {
  return JSON.stringify(normalised(a)) === JSON.stringify(normalised(b));
}

/** How a rule keeps clients. */
export type Stickiness = Pick<ListenerRule['forward'], 'targetGroupStickiness' | 'targetStickiness'>;

/** The stickiness settings of a rule, without those that are off. */
export function stickinessOf({ forward }: Pick<CellListenerRule, 'forward'>): Stickiness {
  const { targetGroupStickiness, targetStickiness } = forward ?? {};
  return given({ targetGroupStickiness, targetStickiness });
}

/** Whether two rules match the same requests and keep clients alike, wherever they forward to. */
export const sameRule = (a: CellListenerRule, b: CellListenerRule): boolean =>
  sameMatch(a, b) && canonical(stickinessOf(a)) === canonical(stickinessOf(b));

const normalised = (rule: Matching): unknown => [
  rule.priority,
  matchesOf(rule).map((match) =>
    match.field === 'http-header' ? { ...match, header: match.header.toLowerCase() } : match,
  ),
];

function values(
  field: ValueField,
  list: readonly string[] | undefined,
  by: MatchedBy = 'value',
): readonly RuleMatch[] {
  return list === undefined || list.length === 0
    ? []
    : [{ field, by, values: [...new Set(list)].toSorted(compareText) }];
}

function headers(
  lists: Readonly<Record<string, readonly string[]>> | undefined,
  by: MatchedBy,
): readonly RuleMatch[] {
  return Object.entries(lists ?? {})
    .toSorted(([a], [b]) => compareText(a.toLowerCase(), b.toLowerCase()))
    .map(([header, list]) => ({ field: 'http-header', header, by, values: list.toSorted(compareText) }));
}

/** The conditions on the query string in one order: each has to hold, and within one of them any pair is enough. */
export function queriesOf({
  queryStrings = {},
  queryStringConditions = [],
}: Pick<Matching, 'queryStrings' | 'queryStringConditions'>): readonly (readonly QueryPair[])[] {
  const first = Object.entries(queryStrings).map(([key, value]) => ({ key, value }));
  const all = [first, ...queryStringConditions.map(({ values: some }) => some)]
    .filter((pairs) => pairs.length > 0)
    .map((pairs) => distinct(pairs.map(({ key = '', value }) => ({ key, value }))));
  return distinct(all);
}

const distinct = <Item>(items: readonly Item[]): readonly Item[] =>
  [...new Map(items.map((item) => [canonical(item), item]))]
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([, item]) => item);
