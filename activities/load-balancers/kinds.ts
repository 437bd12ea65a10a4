import { applicationLoadBalancer } from './application-load-balancer/application-load-balancer.ts';
import { networkLoadBalancer } from './network-load-balancer/network-load-balancer.ts';
import type { LoadBalancersOf } from './port.ts';

/** What makes each kind of load balancer serve what is asked. */
export const loadBalancers: LoadBalancersOf = {
  AWSApplicationLoadBalancer: applicationLoadBalancer,
  AWSNetworkLoadBalancer: networkLoadBalancer,
};
