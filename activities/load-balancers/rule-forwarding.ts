import type { Carried } from '../../crds/carried.ts';
import type { ListenerRule } from '../../crds/listener-rule.ts';
import { isCarrying } from '../../domain/load-balancers/carried.ts';
import { stickinessOf } from '../../domain/load-balancers/listener-rule.ts';
import type { Forwarding, ObservedForwarding } from '../../domain/load-balancers/load-balancer.ts';

type Application = 'AWSApplicationLoadBalancer';

/** The whole listener rule that is asked for, or served. */
export function ruleOf({ rule, targetGroups }: Forwarding<Application>): ListenerRule {
  return { ...rule, forward: { targetGroups: [...targetGroups], ...stickinessOf(rule) } };
}

/** What a listener rule serves. */
export const servedBy = (
  listenerARN: string,
  ruleARN: string,
  rule: ListenerRule,
  carried: Carried = {},
): ObservedForwarding<Application> => ({
  ...forwardedFrom(listenerARN, rule),
  ruleARN,
  ...(isCarrying(carried) ? { carried } : {}),
});

/** What is asked for with a listener rule. */
export function forwardedFrom(listenerARN: string, whole: ListenerRule): Forwarding<Application> {
  const { forward, ...match } = whole;
  return {
    type: 'AWSApplicationLoadBalancer',
    listenerARN,
    rule: { ...match, ...keeping(whole) },
    targetGroups: forward.targetGroups,
  };
}

function keeping(rule: ListenerRule): { forward?: ReturnType<typeof stickinessOf> } {
  const forward = stickinessOf(rule);
  return Object.keys(forward).length === 0 ? {} : { forward };
}
