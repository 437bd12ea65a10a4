export { cellRollout } from './cell-rollout.ts';
export { driftWatch } from './drift-watch.ts';
export { loadBalancerConfig } from './load-balancer-config.ts';
