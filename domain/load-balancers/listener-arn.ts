/** The ARN of the load balancer that a listener belongs to; the ARN of the listener carries it. */
export const loadBalancerOfListener = (listenerARN: string): string =>
  listenerARN.replace(/:listener\/([^/]+\/[^/]+\/[^/]+)\/[^/]+$/, ':loadbalancer/$1');
