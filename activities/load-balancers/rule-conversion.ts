import type { Action, Rule } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { ListenerRule } from '../../crds/listener-rule.ts';
import { forwardedBy, named, singleAsWanted, toTuples } from './forward.ts';
import { conditionsIn } from './rule-conditions.ts';

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
    ...conditionsIn(rule.Conditions ?? []),
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
