import type { RuleCondition } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { ListenerRule } from '../../../crds/listener-rule.ts';
import {
  matchesOf,
  type RuleMatch,
} from '../../../domain/load-balancers/application-load-balancer/listener-rule.ts';
import { unreachable } from '../../../domain/unreachable.ts';

type Conditions = Omit<ListenerRule, 'priority' | 'forward'>;
type Queries = Pick<Conditions, 'queryStrings' | 'queryStringConditions'>;

/** The conditions of a rule as ELBv2 takes them (API_RuleCondition). */
export const toConditions = (rule: ListenerRule): RuleCondition[] => matchesOf(rule).map(toCondition);

function toCondition(match: RuleMatch): RuleCondition {
  switch (match.field) {
    case 'host-header':
      return { Field: match.field, HostHeaderConfig: valuesIn(match) };
    case 'path-pattern':
      return { Field: match.field, PathPatternConfig: valuesIn(match) };
    case 'http-request-method':
      return { Field: match.field, HttpRequestMethodConfig: { Values: [...match.values] } };
    case 'source-ip':
      return { Field: match.field, SourceIpConfig: { Values: [...match.values] } };
    case 'http-header':
      return { Field: match.field, HttpHeaderConfig: { HttpHeaderName: match.header, ...valuesIn(match) } };
    case 'query-string':
      return {
        Field: match.field,
        QueryStringConfig: {
          Values: match.pairs.map(({ key, value }) => ({ ...(key !== '' && { Key: key }), Value: value })),
        },
      };
    default:
      return unreachable(match);
  }
}

const valuesIn = ({ by, values }: Exclude<RuleMatch, { field: 'query-string' }>) =>
  by === 'regex' ? { RegexValues: [...values] } : { Values: [...values] };

/** The conditions that ELBv2 returned, in Okra's words; what those cannot say is what `unsaidIn` names. */
export function conditionsIn(conditions: readonly RuleCondition[]): Conditions {
  const lists = {
    hosts: valuesOf(conditions, 'host-header', (one) => one.HostHeaderConfig?.Values ?? one.Values),
    hostRegexes: valuesOf(conditions, 'host-header', regexesOf),
    pathPatterns: valuesOf(conditions, 'path-pattern', (one) => one.PathPatternConfig?.Values ?? one.Values),
    pathRegexes: valuesOf(conditions, 'path-pattern', regexesOf),
    methods: valuesOf(conditions, 'http-request-method', (one) => one.HttpRequestMethodConfig?.Values),
    sourceIPs: valuesOf(conditions, 'source-ip', (one) => one.SourceIpConfig?.Values),
  };
  const maps = {
    headers: headersOf(conditions, (one) => one.HttpHeaderConfig?.Values),
    headerRegexes: headersOf(conditions, regexesOf),
  };
  return {
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
    ...Object.fromEntries(Object.entries(maps).filter(([, map]) => Object.keys(map).length > 0)),
    ...queriesIn(conditions),
  };
}

type Picking = (one: RuleCondition) => readonly string[] | undefined;

/** The regular expressions of a condition, which stand in its configuration, or in the condition itself. */
const regexesOf: Picking = (one) =>
  (one.HostHeaderConfig ?? one.PathPatternConfig ?? one.HttpHeaderConfig)?.RegexValues ?? one.RegexValues;

const valuesOf = (conditions: readonly RuleCondition[], field: string, pick: Picking): readonly string[] =>
  conditions.filter((one) => one.Field === field).flatMap((one) => pick(one) ?? []);

const headersOf = (conditions: readonly RuleCondition[], pick: Picking): Conditions['headers'] & object =>
  Object.fromEntries(
    conditions
      .filter((one) => one.Field === 'http-header' && (pick(one) ?? []).length > 0)
      .map((one) => [headerOf(one), [...(pick(one) ?? [])]]),
  );

const headerOf = (one: RuleCondition): string => one.HttpHeaderConfig?.HttpHeaderName ?? '';

/** Several conditions stay several, since all of them have to hold; one with each parameter once is a map. */
function queriesIn(conditions: readonly RuleCondition[]): Queries {
  const queries = conditions
    .filter((one) => one.Field === 'query-string')
    .map(({ QueryStringConfig: { Values = [] } = {} }) => ({
      values: Values.map(({ Key: key = '', Value: value = '' }) => ({ ...(key !== '' && { key }), value })),
    }));
  const [only, ...others] = queries;
  if (only === undefined) return {};
  const pairs = only.values.map(({ key = '', value }): [string, string] => [key, value]);
  const isMap = others.length === 0 && !isRepeated(pairs.map(([key]) => key));
  return isMap ? { queryStrings: Object.fromEntries(pairs) } : { queryStringConditions: queries };
}

const known: readonly (string | undefined)[] = [
  'host-header',
  'path-pattern',
  'http-request-method',
  'source-ip',
  'http-header',
  'query-string',
];

/** The conditions that no rule of Okra's can say, in words; one that is taken for another would be lost with the next write. */
export function unsaidIn(conditions: readonly RuleCondition[]): readonly string[] {
  const headers = conditions
    .filter((one) => one.Field === 'http-header')
    .map(
      (one) => `${headerOf(one).toLowerCase()} ${(regexesOf(one) ?? []).length === 0 ? 'values' : 'regexes'}`,
    );
  return [
    ...conditions
      .filter((one) => !known.includes(one.Field))
      .map((one) => `a condition of the kind ${one.Field ?? 'unknown'}`),
    ...(isRepeated(headers)
      ? ['several http-header conditions on one header, all of which have to hold']
      : []),
  ];
}

const isRepeated = (texts: readonly string[]): boolean => new Set(texts).size < texts.length;
