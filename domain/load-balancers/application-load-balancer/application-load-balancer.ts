import type { AWSApplicationLoadBalancerConfigSpec } from '../../../crds/load-balancers/application-load-balancer.ts';
import type { Carried, CellListenerRule } from '../../../crds/listener-rule.ts';
import { type LoadBalancerKind, loadBalancerOfListener } from '../kind.ts';
import { sameRule, stickinessOf } from './listener-rule.ts';

interface Route {
  readonly type: 'AWSApplicationLoadBalancer';
  readonly listenerARN: string;
  readonly listener: { readonly rule: CellListenerRule };
}

/** What the spec of its configuration object says, but for what becomes of the rule in the end. */
type Forwarding = Pick<Route, 'type'> & Omit<AWSApplicationLoadBalancerConfigSpec, 'deletionPolicy'>;

/** One rule of a listener of an Application Load Balancer. */
export interface ApplicationLoadBalancerShape {
  readonly place: Pick<Route, 'listenerARN'>;
  readonly route: Route;
  readonly forwarding: Forwarding;
  readonly observed: Forwarding & {
    readonly ruleARN?: string;
    /** What that rule does besides matching and forwarding, which no Cell says, and which it has to continue doing. */
    readonly carried?: Carried;
  };
}

/** An Application Load Balancer: its weights stand in one rule of a listener. */
export const applicationLoadBalancer: LoadBalancerKind<ApplicationLoadBalancerShape> = {
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
          listener: { rule: block.listener.rule },
        },
  placeOf: ({ listenerARN }) => listenerARN,
  loadBalancerARNOf: ({ listenerARN }) => loadBalancerOfListener(listenerARN),
  describe: ({ listener: { rule } }) => `rule ${rule.priority} of the listener`,
  targetGroupsOf: ({ listener: { rule } }) => rule.forward.targetGroups,
  withTargetGroups: ({ type, listenerARN, listener: { rule } }, groups) => ({
    type,
    listenerARN,
    listener: { rule: { ...rule, forward: { targetGroups: [...groups], ...stickinessOf(rule) } } },
  }),
  servedRoute: ({ type, listenerARN, listener }) => ({ type, listenerARN, listener }),
  sameRoute: (desired, observed) => sameRule(desired.listener.rule, observed.listener.rule),
  keepsClients: ({ listener: { rule } }) => rule.forward?.targetGroupStickiness !== undefined,
  targetGroupSettingsOf: ({ listener: { rule } }) => rule.forward?.targetStickiness,
  observedAfter: (forwarding) => forwarding,
};
