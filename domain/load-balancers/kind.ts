import type { CellSpec } from '../../crds/cell.ts';
import type { WeightedTargetGroup } from '../model/target-group.ts';

/** The ARN of the load balancer that a listener belongs to; the ARN of the listener carries it. */
export const loadBalancerOfListener = (listenerARN: string): string =>
  listenerARN.replace(/:listener\/([^/]+\/[^/]+\/[^/]+)\/[^/]+$/, ':loadbalancer/$1');

/** How a kind of load balancer is written down; all that carries traffic in it is a target group with a weight. */
export interface LoadBalancerShape {
  /** The fields that say where the weights stand; its configuration object has them in its spec. */
  readonly place: object;
  /** How traffic gets in, apart from the weights. */
  readonly route: { readonly type: string };
  /** What is asked of it: a route, and the target groups with their weights. */
  readonly forwarding: { readonly type: string };
  /** What it serves, as it was read back. */
  readonly observed: { readonly type: string };
}

/** What has to be known of a kind of load balancer to decide; what has to be called stands in `activities/load-balancers/`. */
export interface LoadBalancerKind<Of extends LoadBalancerShape> {
  /** What such a place is called, by the kind of which a watch over it is found. */
  readonly placeKind: string;
  /** How long it may take to follow a change of weights; a rollout waits as long after each of its own. */
  readonly settle: NonNullable<CellSpec['settle']>;
  /** Whether what is open stays with a target group that has lost its weight. */
  readonly keepsOpenFlows: boolean;
  /** The protocols of target groups that it forwards to, and how that is said to people; without it, all do. */
  readonly takes?: { readonly protocols: readonly string[]; readonly expected: string };
  /** Reads the route off a Cell's spec of this type; undefined when there is none. */
  routeOf(ingress: CellSpec['ingress']): Of['route'] | undefined;
  /** Where the weights stand: what is read as a whole when it is compared, and what access is given to. */
  placeOf(at: Of['place']): string;
  /** The load balancer of ELBv2 that holds the target groups; undefined where none does. */
  loadBalancerARNOf(route: Of['route']): string | undefined;
  /** Says where traffic gets in, for people: names what has the weights, and nothing else of the route (see `sameRuleOrListener`). */
  describe(route: Of['route']): string;
  /** The target groups and their weights. */
  targetGroupsOf(forwarding: Of['forwarding']): readonly WeightedTargetGroup[];
  /** What to ask for so that traffic gets in by a route, with these weights. */
  withTargetGroups(route: Of['route'], groups: readonly WeightedTargetGroup[]): Of['forwarding'];
  /** The route to ask for so that all stays as it is served, apart from the weights. */
  servedRoute(observed: Of['observed']): Of['route'];
  /** Whether what is served at the same place needs no change other than of weights. */
  sameRoute(desired: Of['route'], observed: Of['route']): boolean;
  /** Whether clients are kept with the target group that has served them first. */
  keepsClients(route: Of['route']): boolean;
  /** What is written to the target groups themselves; undefined when nothing is. */
  targetGroupSettingsOf(route: Of['route']): unknown;
  /** What is served after a write, as far as it is known before it is read. */
  observedAfter(forwarding: Of['forwarding'], before: Of['observed'] | undefined): Of['observed'];
}

/** A kind of load balancer for each shape, by the type that its routes have. */
export type KindsOf<Shapes> = {
  readonly [Type in keyof Shapes]: Shapes[Type] extends LoadBalancerShape & {
    readonly route: { readonly type: Type };
  }
    ? LoadBalancerKind<Shapes[Type]>
    : never;
};
