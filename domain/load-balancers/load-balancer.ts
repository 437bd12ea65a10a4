import type { Carried } from '../../crds/carried.ts';
import type { CellListenerRule } from '../../crds/listener-rule.ts';
import type { CellSpec } from '../../crds/cell.ts';
import { sameRule } from './listener-rule.ts';
import type { WeightedTargetGroup } from '../model/target-group.ts';
import { unreachable } from '../unreachable.ts';

/**
 * How traffic gets in, apart from the weights: one entry for each load balancer that Okra can shift traffic with.
 * `docs/load-balancers.md` says how another one is added.
 */
interface Routes {
  readonly AWSApplicationLoadBalancer: {
    readonly type: 'AWSApplicationLoadBalancer';
    readonly listenerARN: string;
    readonly rule: CellListenerRule;
  };
  readonly AWSNetworkLoadBalancer: {
    readonly type: 'AWSNetworkLoadBalancer';
    readonly listenerARN: string;
    /** Whether flows of a client stay with a target group; undefined where it stays as it is. */
    readonly targetGroupStickiness?: NetworkStickiness;
  };
}

/** Whether flows of a client stay with a target group of a Network Load Balancer. */
export interface NetworkStickiness {
  readonly enabled: boolean;
  /** For how long, where ELBv2 names a time. */
  readonly durationSeconds?: number | undefined;
}

/** The name of a load balancer that Okra can shift traffic with. */
export type LoadBalancerType = keyof Routes;

/** How traffic gets in, apart from the weights. */
export type Route = Routes[LoadBalancerType];

/** Every load balancer that Okra can shift traffic with. */
export const loadBalancerTypes: readonly LoadBalancerType[] = [
  'AWSApplicationLoadBalancer',
  'AWSNetworkLoadBalancer',
];

/** What is asked of a load balancer: a route, and the target groups with their weights. */
export type Forwarding<Type extends LoadBalancerType = LoadBalancerType> = Routes[Type] & {
  readonly targetGroups: readonly WeightedTargetGroup[];
};

/** What a load balancer serves, as it was read back. */
export type ObservedForwarding<Type extends LoadBalancerType = LoadBalancerType> = Forwarding<Type> & {
  /** The listener rule that does it, where one does. */
  readonly ruleARN?: string;
  /** What that rule does besides matching and forwarding, which no Cell says, and which it has to go on doing. */
  readonly carried?: Carried;
};

/** What was found at a place of which nothing was known. */
export type InspectedForwarding =
  | { readonly is: 'Nothing' }
  /** Something that may be taken over: it is ours already, or its takeover was asked for. */
  | { readonly is: 'Serving'; readonly targetGroups: readonly WeightedTargetGroup[] };

/** What becomes of what serves when its object is deleted. */
export type DeletionPolicy = 'Retain' | 'Delete';

/** Reads the route off a Cell's spec; undefined when the API server let one pass that has none. */
export function routeOf({ ingress }: Pick<CellSpec, 'ingress'>): Route | undefined {
  const { type, awsApplicationLoadBalancer: application, awsNetworkLoadBalancer: network } = ingress;
  if (type === 'AWSNetworkLoadBalancer') {
    const block = network ?? application;
    if (block === undefined) return undefined;
    const sticky = network?.listener?.forward?.targetGroupStickiness;
    return {
      type,
      listenerARN: block.listenerARN,
      ...(sticky === undefined ? {} : { targetGroupStickiness: sticky }),
    };
  }
  if (type !== 'AWSApplicationLoadBalancer' || application?.listener === undefined) return undefined;
  return { type, listenerARN: application.listenerARN, rule: application.listener.rule };
}

/** Whether what is served needs no change other than of weights to be what the route says. */
export function sameRoute(wanted: Route, served: Route): boolean {
  if (wanted.listenerARN !== served.listenerARN) return false;
  switch (wanted.type) {
    case 'AWSApplicationLoadBalancer':
      return served.type === wanted.type && sameRule(wanted.rule, served.rule);
    case 'AWSNetworkLoadBalancer':
      return (
        served.type === wanted.type &&
        (wanted.targetGroupStickiness === undefined || keepsClients(wanted) === keepsClients(served))
      );
    default:
      return unreachable(wanted);
  }
}

/** Whether clients are kept with the target group that has served them first. */
export function keepsClients(route: Route): boolean {
  switch (route.type) {
    case 'AWSApplicationLoadBalancer':
      return route.rule.forward?.targetGroupStickiness !== undefined;
    case 'AWSNetworkLoadBalancer':
      return route.targetGroupStickiness?.enabled === true;
    default:
      return unreachable(route);
  }
}

/** What is served after a write, as far as it is known before it is read: what nobody asked to change stays. */
export function observedAfter(
  forwarding: Forwarding,
  before: ObservedForwarding | undefined,
): ObservedForwarding {
  const stays =
    forwarding.type === 'AWSNetworkLoadBalancer' &&
    forwarding.targetGroupStickiness === undefined &&
    before?.type === 'AWSNetworkLoadBalancer' &&
    before.targetGroupStickiness !== undefined;
  return stays ? { ...forwarding, targetGroupStickiness: before.targetGroupStickiness } : forwarding;
}

/** The ARN of the load balancer that a listener belongs to; the ARN of the listener carries it. */
export const loadBalancerARNOf = (listenerARN: string): string =>
  listenerARN.replace(/:listener\/([^/]+\/[^/]+\/[^/]+)\/[^/]+$/, ':loadbalancer/$1');

/** Says where traffic gets in, for people. */
export function placeOf(route: Route): string {
  switch (route.type) {
    case 'AWSApplicationLoadBalancer':
      return `rule ${route.rule.priority} of the listener`;
    case 'AWSNetworkLoadBalancer':
      return 'the default action of the listener';
    default:
      return unreachable(route);
  }
}

/** Weights for people: `a1: 50, a2: 50`. */
export const weightsText = (groups: readonly WeightedTargetGroup[]): string =>
  groups.map((group) => `${group.name}: ${group.weight}`).join(', ');
