export { cellRollout } from './cell-rollout.ts';
export { check } from './check.ts';
export { driftWatch } from './drift-watch.ts';
export { loadBalancerConfig } from './load-balancer-config.ts';
export { stagedBinding } from './staged-binding.ts';
export { versionGate } from './version-gate.ts';
export { targetGroupCheck } from './target-group-check.ts';
// Temporal takes the default for every type that is not exported by its name: those of the kinds that are synced.
export { synced as default } from './synced.ts';
