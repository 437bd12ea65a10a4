import type { CellSpec } from '../../crds/cell.ts';
import type { LoadBalancerType } from './load-balancer.ts';

/**
 * How long the nodes of a load balancer may take to follow a change of weights. Behind a Network Load Balancer Amazon ECS
 * waits 10 minutes for that after each of its own (nlb-resources-for-blue-green in its developer guide). Behind an
 * Application Load Balancer it does not wait; the guide to editing rules speaks of a short time, and names none.
 */
const TO_FOLLOW: Readonly<Record<LoadBalancerType, string>> = {
  AWSApplicationLoadBalancer: '10s',
  AWSNetworkLoadBalancer: '10m',
};

/** How long a rollout waits after each change of weights: as the spec says, else as long as the load balancer may take. */
export const settleOf = ({
  settle,
  ingress: { type },
}: Pick<CellSpec, 'settle' | 'ingress'>): NonNullable<CellSpec['settle']> =>
  settle ?? (type === 'AWSNetworkLoadBalancer' ? TO_FOLLOW[type] : TO_FOLLOW.AWSApplicationLoadBalancer);
