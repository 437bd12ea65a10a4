import type { Action, Rule, RuleCondition } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { ListenerRule } from '../../crds/listener-rule.ts';
import { matchesOf, type RuleMatch } from '../../domain/listener-rule.ts';
import { unreachable } from '../../domain/unreachable.ts';
import { forwardedBy, named, singleAsWanted, toTuples } from './forward.ts';

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
export function toActions({ forward }: ListenerRule): Action[] {
  const { targetGroups, targetGroupStickiness: sticky } = forward;
  const keeping =
    sticky === undefined
      ? {}
      : { TargetGroupStickinessConfig: { Enabled: true, DurationSeconds: sticky.durationSeconds } };
  return [{ Type: 'forward', ForwardConfig: { TargetGroups: toTuples(targetGroups), ...keeping } }];
}

/** A rule as ELBv2 returned it, in Okra's words; names come from what is wanted. */
export function fromRule(rule: Rule, wanted: ListenerRule): ListenerRule {
  const groups = named(forwardedBy(rule.Actions), wanted.forward.targetGroups);
  return {
    priority: Number(rule.Priority),
    ...conditionsOf(rule.Conditions ?? []),
    forward: { targetGroups: singleAsWanted(groups, wanted.forward.targetGroups), ...stickinessIn(rule) },
  };
}

function stickinessIn(rule: Rule): Pick<ListenerRule['forward'], 'targetGroupStickiness'> {
  const action = rule.Actions?.find((one) => one.Type === 'forward');
  const config = action?.ForwardConfig?.TargetGroupStickinessConfig;
  return config?.Enabled === true
    ? { targetGroupStickiness: { durationSeconds: config.DurationSeconds ?? 0 } }
    : {};
}

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
