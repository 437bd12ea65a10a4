import { applicationLoadBalancer } from './load-balancers/application-load-balancer.ts';
import { networkLoadBalancer } from './load-balancers/network-load-balancer.ts';

/** The blocks of `spec.ingress`: what a Cell says of each kind of load balancer. */
export const ingressBlocks = {
  awsApplicationLoadBalancer: applicationLoadBalancer.block,
  awsNetworkLoadBalancer: networkLoadBalancer.block,
};

type Block = keyof typeof ingressBlocks;

/** Each kind of load balancer, as `spec.ingress.type` has it, with the names that its block may have. */
export const loadBalancerBlocks = {
  AWSApplicationLoadBalancer: applicationLoadBalancer.blockNames,
  AWSNetworkLoadBalancer: networkLoadBalancer.blockNames,
} as const satisfies Readonly<Record<string, readonly [Block, ...Block[]]>>;

/** The kind of the configuration object of each. */
export const loadBalancerConfigs = [applicationLoadBalancer.config, networkLoadBalancer.config] as const;
