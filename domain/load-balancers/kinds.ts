import type { KindsOf } from './kind.ts';
import {
  applicationLoadBalancer,
  type ApplicationLoadBalancerShape,
} from './application-load-balancer/application-load-balancer.ts';
import {
  networkLoadBalancer,
  type NetworkLoadBalancerShape,
} from './network-load-balancer/network-load-balancer.ts';

/** The shape of each kind of load balancer, by its `spec.ingress.type`; `docs/adding-a-load-balancer.md` says how to add one. */
export interface LoadBalancerShapes {
  readonly AWSApplicationLoadBalancer: ApplicationLoadBalancerShape;
  readonly AWSNetworkLoadBalancer: NetworkLoadBalancerShape;
}

/** Each kind of load balancer that Okra can shift traffic with. */
export const loadBalancerKinds: KindsOf<LoadBalancerShapes> = {
  AWSApplicationLoadBalancer: applicationLoadBalancer,
  AWSNetworkLoadBalancer: networkLoadBalancer,
};
