import type { Carried } from '../../../crds/carried.ts';
import type { CellListenerRule } from '../../../crds/listener-rule.ts';
import type { WeightedTargetGroup } from '../../model/target-group.ts';
import type { LoadBalancerKind } from '../kind.ts';
import { loadBalancerOfListener } from '../listener-arn.ts';
import { sameRule } from './listener-rule.ts';

interface Route {
  readonly type: 'AWSApplicationLoadBalancer';
  readonly listenerARN: string;
  readonly rule: CellListenerRule;
}

interface Forwarding extends Route {
  readonly targetGroups: readonly WeightedTargetGroup[];
}

/** One rule of a listener of an Application Load Balancer. */
export interface ApplicationShape {
  readonly place: Pick<Route, 'listenerARN'>;
  readonly route: Route;
  readonly forwarding: Forwarding;
  readonly observed: Forwarding & {
    /** The listener rule that does it. */
    readonly ruleARN?: string;
    /** What that rule does besides matching and forwarding, which no Cell says, and which it has to go on doing. */
    readonly carried?: Carried;
  };
}

/** An Application Load Balancer: its weights stand in one rule of a listener. */
export const applicationLoadBalancer: LoadBalancerKind<ApplicationShape> = {
  placeKind: 'Listener',
  // The guide to editing rules speaks of a short time, and names none.
  settle: '10s',
  keepsOpenFlows: false,
  // ELBv2 user guides, "Listener configuration".
  takes: {
    protocols: ['HTTP', 'HTTPS', 'lambda'],
    expected: 'HTTP or HTTPS, as Cell NAME is behind an Application Load Balancer',
  },
  routeOf: ({ awsApplicationLoadBalancer: block }) =>
    block?.listener === undefined
      ? undefined
      : {
          type: 'AWSApplicationLoadBalancer',
          listenerARN: block.listenerARN,
          rule: block.listener.rule,
        },
  placeOf: ({ listenerARN }) => listenerARN,
  loadBalancerARNOf: ({ listenerARN }) => loadBalancerOfListener(listenerARN),
  describe: ({ rule }) => `rule ${rule.priority} of the listener`,
  targetGroupsOf: ({ targetGroups }) => targetGroups,
  withTargetGroups: (route, targetGroups) => ({ ...route, targetGroups }),
  servedRoute: ({ type, listenerARN, rule }) => ({ type, listenerARN, rule }),
  sameRoute: (desired, observed) => sameRule(desired.rule, observed.rule),
  keepsClients: ({ rule }) => rule.forward?.targetGroupStickiness !== undefined,
  targetGroupSettingsOf: ({ rule }) => rule.forward?.targetStickiness,
  observedAfter: (forwarding) => forwarding,
};
