import type { LoadBalancerType } from '../../domain/load-balancers/load-balancer.ts';
import { loadBalancers } from './kinds.ts';
import type { LoadBalancer } from './port.ts';

/** Finds what Okra knows of a load balancer. */
export const loadBalancerOf = (type: LoadBalancerType): LoadBalancer => loadBalancers[type];
