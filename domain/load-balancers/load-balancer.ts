import type { CellSpec, WrittenCellSpec } from '../../crds/cell.ts';
import type { WeightedTargetGroup } from '../model/target-group.ts';
import type { LoadBalancerKind } from './kind.ts';
import { loadBalancerKinds, type LoadBalancerShapes } from './kinds.ts';

/** The name of a kind of load balancer that Okra can shift traffic with. */
export type LoadBalancerType = keyof LoadBalancerShapes;

/** How traffic gets in, apart from the weights. */
export type Route<Type extends LoadBalancerType = LoadBalancerType> = LoadBalancerShapes[Type]['route'];

/** What is asked of a load balancer: a route, and the target groups with their weights. */
export type Forwarding<Type extends LoadBalancerType = LoadBalancerType> =
  LoadBalancerShapes[Type]['forwarding'];

/** What a load balancer serves, as it was read back. */
export type ObservedForwarding<Type extends LoadBalancerType = LoadBalancerType> =
  LoadBalancerShapes[Type]['observed'];

/** The shape of any kind of load balancer. */
export type AnyShape = LoadBalancerShapes[LoadBalancerType];

/** What was found at a place of which nothing was known. */
export type InspectedForwarding =
  | { readonly is: 'Nothing' }
  /** Something that may be taken over: it is ours already, or its takeover was asked for. */
  | { readonly is: 'Serving'; readonly targetGroups: readonly WeightedTargetGroup[] };

/** What becomes of what serves when its object is deleted. */
export type DeletionPolicy = 'Retain' | 'Delete';

/** Every kind of load balancer that Okra can shift traffic with. */
export const loadBalancerTypes: readonly LoadBalancerType[] = Object.keys(loadBalancerKinds).filter(isType);

/** What is known of a kind of load balancer. */
export const loadBalancerKind = (type: LoadBalancerType): LoadBalancerKind<AnyShape> =>
  loadBalancerKinds[type];

function isType(text: string): text is LoadBalancerType {
  return Object.hasOwn(loadBalancerKinds, text);
}

/** Reads the route off a Cell's spec; undefined when it has applications, or the API server let one pass that has none. */
export const routeOf = ({ ingress }: Pick<WrittenCellSpec, 'ingress'>): Route | undefined =>
  ingress !== undefined && isType(ingress.type) ? loadBalancerKind(ingress.type).routeOf(ingress) : undefined;

/** How long a rollout waits after each change of weights: as the spec says, else as long as the load balancer may take. */
export const settleOf = ({
  settle,
  ingress: { type },
}: Pick<CellSpec, 'settle' | 'ingress'>): NonNullable<CellSpec['settle']> =>
  settle ?? loadBalancerKind(isType(type) ? type : 'AWSApplicationLoadBalancer').settle;

/** Where the weights stand, as one text: the ARN of a listener. */
export const placeOf = (route: Route): string => loadBalancerKind(route.type).placeOf(route);

/** The ARN of the listener that traffic gets in by; undefined where the weights stand in something else. */
export const listenerARNOf = (route: Route): string | undefined =>
  loadBalancerKind(route.type).placeKind === 'Listener' ? placeOf(route) : undefined;

/** Whether two routes are at the same place of the same kind of load balancer. */
export const samePlace = (a: Route, b: Route): boolean => a.type === b.type && placeOf(a) === placeOf(b);

/** The target groups that traffic is forwarded to, with their weights. */
export const targetGroupsOf = (forwarding: Forwarding): readonly WeightedTargetGroup[] =>
  loadBalancerKind(forwarding.type).targetGroupsOf(forwarding);

/** What to ask for so that traffic gets in by a route, with these weights. */
export const withTargetGroups = (route: Route, groups: readonly WeightedTargetGroup[]): Forwarding =>
  loadBalancerKind(route.type).withTargetGroups(route, groups);

/** The route to ask for so that all stays as it is served, apart from the weights; what no spec says stays by not being asked for. */
export const servedRoute = (observed: ObservedForwarding): Route =>
  loadBalancerKind(observed.type).servedRoute(observed);

/** Whether what is served needs no change other than of weights to be what the route says. */
export const sameRoute = (desired: Route, observed: Route): boolean =>
  samePlace(desired, observed) && loadBalancerKind(desired.type).sameRoute(desired, observed);

/** Whether clients are kept with the target group that has served them first. */
export const keepsClients = (route: Route): boolean => loadBalancerKind(route.type).keepsClients(route);

/** What is written to the target groups themselves; undefined when nothing is. */
export const targetGroupSettingsOf = (route: Route): unknown =>
  loadBalancerKind(route.type).targetGroupSettingsOf(route);

/** What is served after a write, as far as it is known before it is read: what nobody asked to change stays. */
export const observedAfter = (
  forwarding: Forwarding,
  before: ObservedForwarding | undefined,
): ObservedForwarding =>
  loadBalancerKind(forwarding.type).observedAfter(
    forwarding,
    before?.type === forwarding.type ? before : undefined,
  );

/** Says where traffic gets in, for people. */
export const describeRoute = (route: Route): string => loadBalancerKind(route.type).describe(route);

/** Whether two routes are about the same rule, whatever its conditions are; or the same listener, where that has the weights. */
export const sameRuleOrListener = (a: Route, b: Route): boolean =>
  samePlace(a, b) && describeRoute(a) === describeRoute(b);

/** Weights for people: `a1: 50, a2: 50`. */
export const weightsText = (groups: readonly WeightedTargetGroup[]): string =>
  groups.map((group) => `${group.name}: ${group.weight}`).join(', ');
