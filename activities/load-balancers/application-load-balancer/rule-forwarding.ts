import type { Carried, ListenerRule } from '../../../crds/listener-rule.ts';
import { isCarrying } from '../../../domain/load-balancers/application-load-balancer/carried.ts';
import type { ObservedForwarding } from '../../../domain/load-balancers/load-balancer.ts';

/** What a listener rule serves. */
export const servedBy = (
  listenerARN: string,
  ruleARN: string,
  rule: ListenerRule,
  carried: Carried = {},
): ObservedForwarding<'AWSApplicationLoadBalancer'> => ({
  type: 'AWSApplicationLoadBalancer',
  listenerARN,
  listener: { rule },
  ruleARN,
  ...(isCarrying(carried) ? { carried } : {}),
});
