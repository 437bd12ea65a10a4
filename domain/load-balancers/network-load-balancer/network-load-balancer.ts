import type {
  AWSNetworkLoadBalancerConfigSpec,
  AWSNetworkLoadBalancerConfigStatus,
} from '../../../crds/load-balancers/network-load-balancer.ts';
import { type LoadBalancerKind, loadBalancerOfListener } from '../kind.ts';

/** What a listener of a Network Load Balancer forwards to, and how it keeps clients. */
export type NetworkForward = NonNullable<AWSNetworkLoadBalancerConfigStatus['listener']>['forward'];

/** Whether flows of a client stay with a target group of a Network Load Balancer. */
export type NetworkStickiness = NonNullable<NetworkForward['targetGroupStickiness']>;

interface Route {
  readonly type: 'AWSNetworkLoadBalancer';
  readonly listenerARN: string;
  /** Left out where flows of a client are kept as they are. */
  readonly listener?: { readonly forward: Pick<NetworkForward, 'targetGroupStickiness'> };
}

type Forwarding = Pick<Route, 'type'> & AWSNetworkLoadBalancerConfigSpec;

/** The default action of a listener of a Network Load Balancer. */
export interface NetworkLoadBalancerShape {
  readonly place: Pick<Route, 'listenerARN'>;
  readonly route: Route;
  readonly forwarding: Forwarding;
  readonly observed: Forwarding & { readonly listener: { readonly forward: NetworkForward } };
}

const stickinessOf = ({ listener }: Route): NetworkStickiness | undefined =>
  listener?.forward.targetGroupStickiness;

const keepsClients = (route: Route): boolean => stickinessOf(route)?.enabled === true;

/** A Network Load Balancer: its weights stand in the default action of a listener. */
export const networkLoadBalancer: LoadBalancerKind<NetworkLoadBalancerShape> = {
  placeKind: 'Listener',
  // Amazon ECS waits as long after each of its own changes (nlb-resources-for-blue-green in its developer guide).
  settle: '10m',
  keepsOpenFlows: true,
  // ELBv2 user guides, "Listener configuration".
  takes: {
    protocols: ['TCP', 'TLS', 'UDP', 'TCP_UDP', 'QUIC', 'TCP_QUIC'],
    expected: 'TCP, TLS, UDP or TCP_UDP, as Cell NAME is behind a Network Load Balancer',
  },
  routeOf({ awsApplicationLoadBalancer: other, awsNetworkLoadBalancer: own }) {
    const block = own ?? other;
    if (block === undefined) return undefined;
    const sticky = own?.listener?.forward?.targetGroupStickiness;
    return {
      type: 'AWSNetworkLoadBalancer',
      listenerARN: block.listenerARN,
      ...(sticky === undefined ? {} : { listener: { forward: { targetGroupStickiness: sticky } } }),
    };
  },
  placeOf: ({ listenerARN }) => listenerARN,
  loadBalancerARNOf: ({ listenerARN }) => loadBalancerOfListener(listenerARN),
  describe: () => 'the default action of the listener',
  targetGroupsOf: ({ listener }) => listener.forward.targetGroups,
  withTargetGroups: ({ type, listenerARN, listener }, groups) => ({
    type,
    listenerARN,
    listener: { forward: { ...listener?.forward, targetGroups: [...groups] } },
  }),
  // How clients are kept stays by not being asked for.
  servedRoute: ({ type, listenerARN }) => ({ type, listenerARN }),
  sameRoute: (desired, observed) =>
    stickinessOf(desired) === undefined || keepsClients(desired) === keepsClients(observed),
  keepsClients,
  targetGroupSettingsOf: () => undefined,
  observedAfter(forwarding, before) {
    const sticky = before === undefined ? undefined : stickinessOf(before);
    if (sticky === undefined || stickinessOf(forwarding) !== undefined) return forwarding;
    const { forward } = forwarding.listener;
    return { ...forwarding, listener: { forward: { ...forward, targetGroupStickiness: sticky } } };
  },
};
