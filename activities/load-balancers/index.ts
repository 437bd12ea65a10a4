import type { LoadBalancerType } from '../../domain/load-balancers/load-balancer.ts';
import { applicationLoadBalancer } from './application.ts';
import { networkLoadBalancer } from './network.ts';
import type { LoadBalancer } from './port.ts';

const loadBalancers: { readonly [Type in LoadBalancerType]: LoadBalancer<Type> } = {
  AWSApplicationLoadBalancer: applicationLoadBalancer,
  AWSNetworkLoadBalancer: networkLoadBalancer,
};

/** Finds what Okra knows of a load balancer. */
export const loadBalancerOf = (type: LoadBalancerType): LoadBalancer => loadBalancers[type];
