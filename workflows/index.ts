export { cellRollout } from './cell-rollout.ts';
export { clusterSet } from './cluster-set.ts';
export { driftWatch } from './drift-watch.ts';
export { loadBalancerConfig } from './load-balancer-config.ts';
export { stagedBinding } from './staged-binding.ts';
export { targetGroupBinding } from './target-group-binding.ts';
export { targetGroupCheck } from './target-group-check.ts';
export { targetGroupSet } from './target-group-set.ts';
