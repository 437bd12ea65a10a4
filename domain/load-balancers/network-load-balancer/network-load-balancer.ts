import type { WeightedTargetGroup } from '../../model/target-group.ts';
import type { LoadBalancerKind } from '../kind.ts';
import { loadBalancerOfListener } from '../listener-arn.ts';

/** Whether flows of a client stay with a target group of a Network Load Balancer. */
export interface NetworkStickiness {
  readonly enabled: boolean;
  /** For how long, where ELBv2 names a time. */
  readonly durationSeconds?: number | undefined;
}

interface Route {
  readonly type: 'AWSNetworkLoadBalancer';
  readonly listenerARN: string;
  /** Whether flows of a client stay with a target group; undefined where it stays as it is. */
  readonly targetGroupStickiness?: NetworkStickiness;
}

interface Forwarding extends Route {
  readonly targetGroups: readonly WeightedTargetGroup[];
}

/** The default action of a listener of a Network Load Balancer. */
export interface NetworkShape {
  readonly place: Pick<Route, 'listenerARN'>;
  readonly route: Route;
  readonly forwarding: Forwarding;
  readonly observed: Forwarding;
}

const keepsClients = ({ targetGroupStickiness }: Route): boolean => targetGroupStickiness?.enabled === true;

/** A Network Load Balancer: its weights stand in the default action of a listener. */
export const networkLoadBalancer: LoadBalancerKind<NetworkShape> = {
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
      ...(sticky === undefined ? {} : { targetGroupStickiness: sticky }),
    };
  },
  placeOf: ({ listenerARN }) => listenerARN,
  loadBalancerARNOf: ({ listenerARN }) => loadBalancerOfListener(listenerARN),
  describe: () => 'the default action of the listener',
  targetGroupsOf: ({ targetGroups }) => targetGroups,
  withTargetGroups: (route, targetGroups) => ({ ...route, targetGroups }),
  // How clients are kept stays by not being asked for.
  servedRoute: ({ type, listenerARN }) => ({ type, listenerARN }),
  sameRoute: (desired, observed) =>
    desired.targetGroupStickiness === undefined || keepsClients(desired) === keepsClients(observed),
  keepsClients,
  targetGroupSettingsOf: () => undefined,
  observedAfter(forwarding, before) {
    const sticky = before?.targetGroupStickiness;
    return forwarding.targetGroupStickiness !== undefined || sticky === undefined
      ? forwarding
      : { ...forwarding, targetGroupStickiness: sticky };
  },
};
