export { cellRollout } from './cell-rollout.ts';
export { clusterSet } from './cluster-set.ts';
export { driftWatch } from './drift-watch.ts';
export { loadBalancerConfig } from './load-balancer-config.ts';
