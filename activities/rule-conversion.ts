import type { Action, Rule, RuleCondition } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { ListenerRule } from '../crds/listener-rule.ts';
import { matchesOf, type RuleMatch } from '../domain/listener-rule.ts';
import { unreachable } from '../domain/unreachable.ts';

type Forwarded = ListenerRule['forward']['targetGroups'][number];

/** The conditions of a rule as ELBv2 takes them (API_RuleCondition). */
export const toConditions = (rule: ListenerRule): RuleCondition[] => matchesOf(rule).map(toCondition);

function toCondition(match: RuleMatch): RuleCondition {
  switch (match.field) {
    case 'host-header':
      return { Field: match.field, HostHeaderConfig: { Values: [...match.values] } };
    case 'path-pattern':
      return { Field: match.field, PathPatternConfig: { Values: [...match.values] } };
    case 'http-request-method':
      return { Field: match.field, HttpRequestMethodConfig: { Values: [...match.values] } };
    case 'source-ip':
      return { Field: match.field, SourceIpConfig: { Values: [...match.values] } };
    case 'http-header':
      return {
        Field: match.field,
        HttpHeaderConfig: { HttpHeaderName: match.header, Values: [...match.values] },
      };
    case 'query-string':
      return {
        Field: match.field,
        QueryStringConfig: { Values: match.pairs.map(({ key, value }) => ({ Key: key, Value: value })) },
      };
    default:
      return unreachable(match);
  }
}

/** The action of a rule as ELBv2 takes it: one forward action that carries all weights (API_ForwardActionConfig). */
export const toActions = (rule: ListenerRule): Action[] => [
  {
    Type: 'forward',
    ForwardConfig: {
      TargetGroups: rule.forward.targetGroups.map(({ arn, weight }) => ({
        TargetGroupArn: arn,
        Weight: weight,
      })),
    },
  },
];

/**
 * A rule as ELBv2 returned it, in Okra's words. Names come from what is wanted, as ELBv2 knows none; the weight of a
 * single group says nothing, so that it counts as the one that is wanted.
 */
export function fromRule(rule: Rule, wanted: ListenerRule): ListenerRule {
  const targetGroups = forwardOf(rule).map(({ arn, weight }) => {
    const name = wanted.forward.targetGroups.find((group) => group.arn === arn)?.name ?? nameIn(arn);
    return { name, arn, weight };
  });
  return {
    priority: Number(rule.Priority),
    ...conditionsOf(rule.Conditions ?? []),
    forward: { targetGroups: singleAsWanted(targetGroups, wanted.forward.targetGroups) },
  };
}

function singleAsWanted(got: Forwarded[], wanted: readonly Forwarded[]): Forwarded[] {
  const [only, ...others] = got;
  const [want, ...more] = wanted;
  const comparable = only !== undefined && others.length === 0 && want !== undefined && more.length === 0;
  return comparable && only.arn === want.arn ? [{ ...only, weight: want.weight }] : got;
}

function forwardOf(rule: Rule): { arn: string; weight: number }[] {
  const action = rule.Actions?.find((one) => one.Type === 'forward');
  const groups =
    action?.ForwardConfig?.TargetGroups ??
    (action?.TargetGroupArn === undefined ? [] : [{ TargetGroupArn: action.TargetGroupArn }]);
  return groups.map((group) => ({ arn: group.TargetGroupArn ?? '', weight: group.Weight ?? 1 }));
}

/** The name in a target group's ARN: `…:targetgroup/NAME/ID`. */
const nameIn = (arn: string): string => arn.split('/')[1] ?? arn;

function conditionsOf(conditions: readonly RuleCondition[]): Omit<ListenerRule, 'priority' | 'forward'> {
  const valuesOf = (
    field: string,
    pick: (one: RuleCondition) => string[] | undefined,
  ): string[] | undefined => {
    const found = conditions.filter((one) => one.Field === field);
    return found.length === 0 ? undefined : found.flatMap((one) => pick(one) ?? one.Values ?? []);
  };
  const lists = {
    hosts: valuesOf('host-header', (one) => one.HostHeaderConfig?.Values),
    pathPatterns: valuesOf('path-pattern', (one) => one.PathPatternConfig?.Values),
    methods: valuesOf('http-request-method', (one) => one.HttpRequestMethodConfig?.Values),
    sourceIPs: valuesOf('source-ip', (one) => one.SourceIpConfig?.Values),
  };
  const headers = conditions
    .filter((one) => one.Field === 'http-header')
    .map((one) => [one.HttpHeaderConfig?.HttpHeaderName ?? '', one.HttpHeaderConfig?.Values ?? []] as const);
  const pairs = conditions
    .filter((one) => one.Field === 'query-string')
    .flatMap((one) => one.QueryStringConfig?.Values ?? [])
    .map((pair) => [pair.Key ?? '', pair.Value ?? ''] as const);
  return {
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list !== undefined)),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
    ...(pairs.length === 0 ? {} : { queryStrings: Object.fromEntries(pairs) }),
  };
}
