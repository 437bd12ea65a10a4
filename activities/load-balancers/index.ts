import type { LoadBalancerType } from '../../domain/load-balancers/load-balancer.ts';
import { applicationLoadBalancer } from './application-load-balancer/application-load-balancer.ts';
import { networkLoadBalancer } from './network-load-balancer/network-load-balancer.ts';
import type { LoadBalancer, LoadBalancersOf } from './port.ts';

/** What makes each kind of load balancer serve what is asked. */
export const loadBalancers: LoadBalancersOf = {
  AWSApplicationLoadBalancer: applicationLoadBalancer,
  AWSNetworkLoadBalancer: networkLoadBalancer,
};

/** Finds what Okra knows of a load balancer. */
export const loadBalancerOf = (type: LoadBalancerType): LoadBalancer => loadBalancers[type];
