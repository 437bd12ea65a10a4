import type { LoadBalancerConfigRef } from '../activities/contract.ts';
import { placeOf } from '../domain/load-balancer.ts';
import type { Deletion, ObservedLoadBalancerConfig } from '../domain/observation.ts';
import { elbv2Write, objects } from './activities.ts';

/** Has an object stay until what it configures is deleted, where its policy says so, before anything is made of it. */
export async function holdOrRelease(ref: LoadBalancerConfigRef, { policy, isHeld }: Deletion): Promise<void> {
  if (policy === 'Delete' && !isHeld) {
    await objects('Have the object stay until its rule is deleted').holdLoadBalancerConfig(ref);
  }
  if (policy === 'Retain' && isHeld) {
    await objects('Let the object go without its rule').releaseLoadBalancerConfig(ref);
  }
}

/** Deletes what an object has made of its load balancer, where its policy says so, and lets the object go. */
export async function removeConfigured(
  ref: LoadBalancerConfigRef,
  { asked, status, deletion }: NonNullable<ObservedLoadBalancerConfig['config']>,
): Promise<void> {
  const { served } = status;
  if (deletion.policy === 'Delete') {
    const request = { key: ref.key, forwarding: asked, ...(served === undefined ? {} : { served }) };
    await elbv2Write(`Delete ${placeOf(asked)}`, false).removeRule(request);
  }
  await objects('Let the object go').releaseLoadBalancerConfig(ref);
}
