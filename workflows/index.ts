import { gate } from './activities.ts';

export { cellRollout } from './cell-rollout.ts';
export { driftWatch } from './drift-watch.ts';
export { loadBalancerConfig } from './load-balancer-config.ts';
export { stagedBinding } from './staged-binding.ts';
export { check, targetGroupCheck } from './synced.ts';
// Temporal takes the default for every type that is not exported by its name: those of the kinds that are synced.
export { synced as default } from './synced.ts';

/** Looks whether a version of the worker can work before it is made current: Temporal's Worker Controller runs it as the gate of a version, and leaves out one where it fails. */
export async function versionGate(): Promise<string> {
  const said = await Promise.all([
    gate('Reach the API server').reachKubernetes(),
    gate('Reach ELBv2', 'elbv2').reachELBv2(),
  ]);
  return said.join(' ');
}
