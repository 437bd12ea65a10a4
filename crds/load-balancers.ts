import { awsApplicationLoadBalancerConfig } from './aws-application-load-balancer-config.ts';
import { awsNetworkLoadBalancerConfig } from './aws-network-load-balancer-config.ts';
import { applicationLoadBalancer, networkLoadBalancer } from './ingress-blocks.ts';

/** The blocks of `spec.ingress`: what a Cell says of each kind of load balancer. */
export const ingressBlocks = {
  awsApplicationLoadBalancer: applicationLoadBalancer
    .optional()
    .describe(
      'The Application Load Balancer in front of the clusters. Under the type AWSNetworkLoadBalancer this name is taken as well, without its listener block.',
    ),
  awsNetworkLoadBalancer: networkLoadBalancer
    .optional()
    .describe('The Network Load Balancer in front of the clusters.'),
};

type Block = keyof typeof ingressBlocks;

/** Each kind of load balancer, as `spec.ingress.type` has it, with the names that its block may have. */
export const loadBalancerBlocks = {
  AWSApplicationLoadBalancer: ['awsApplicationLoadBalancer'],
  AWSNetworkLoadBalancer: ['awsNetworkLoadBalancer', 'awsApplicationLoadBalancer'],
} as const satisfies Readonly<Record<string, readonly [Block, ...Block[]]>>;

/** The kind of the configuration object of each. */
export const loadBalancerConfigs = [awsApplicationLoadBalancerConfig, awsNetworkLoadBalancerConfig] as const;
