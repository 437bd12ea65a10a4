import type { Action, Rule } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Carried, ListenerRule } from '../../../crds/listener-rule.ts';
import type { PresentRule } from '../../../domain/load-balancers/application-load-balancer/rule-difference.ts';
import { forwardedBy, named, singleAsDesired, toTuples } from '../forward.ts';
import { carriedIn, toAction } from './rule-carried.ts';
import { conditionsIn, unsaidIn } from './rule-conditions.ts';

/** The actions of a rule as ELBv2 takes them: one forward action that carries all weights (API_ForwardActionConfig), after those that the rule has besides. */
export function toActions({ forward }: ListenerRule, { actions = [] }: Carried): Action[] {
  const { targetGroups, targetGroupStickiness: sticky } = forward;
  const keeping =
    sticky === undefined
      ? {}
      : { TargetGroupStickinessConfig: { Enabled: true, DurationSeconds: sticky.durationSeconds } };
  const last: Action = {
    Type: 'forward',
    ForwardConfig: { TargetGroups: toTuples(targetGroups), ...keeping },
  };
  // ELBv2 wants an order where there are several (API_Action).
  return actions.length === 0
    ? [last]
    : [...actions.map(toAction), last].map((action, index) => ({ ...action, Order: index + 1 }));
}

/** A rule as ELBv2 returned it, in Okra's words; names come from what is wanted. */
export function fromRule(rule: Rule, wanted: ListenerRule): PresentRule {
  const groups = named(forwardedBy(rule.Actions), wanted.forward.targetGroups);
  return {
    rule: {
      priority: Number(rule.Priority),
      ...conditionsIn(rule.Conditions ?? []),
      forward: { targetGroups: singleAsDesired(groups, wanted.forward.targetGroups), ...stickinessIn(rule) },
    },
    carried: carriedIn(rule),
    unsaid: unsaidIn(rule.Conditions ?? []),
  };
}

function stickinessIn(rule: Rule): Pick<ListenerRule['forward'], 'targetGroupStickiness'> {
  const action = rule.Actions?.find((one) => one.Type === 'forward');
  const config = action?.ForwardConfig?.TargetGroupStickinessConfig;
  return config?.Enabled === true
    ? { targetGroupStickiness: { durationSeconds: config.DurationSeconds ?? 0 } }
    : {};
}
