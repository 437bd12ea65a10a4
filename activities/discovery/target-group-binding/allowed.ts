import { digest } from '../../../clients/digest.ts';
import { accessPolicies } from '../../../clients/kubernetes/access-policies.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import { refusalOf, type Use } from '../../../domain/access/access.ts';
import { targetGroupName } from '../../../domain/discovery/target-group-binding/new-target-group.ts';
import type { Problem } from '../../../domain/discovery/sync-status.ts';
import type { Bound } from './group.ts';

/** Says what an object may not use of what it asks for; undefined when it may use it, and what is registered stays meanwhile. */
export async function refusedUse(
  kubernetes: Pick<KubernetesClient, 'list'>,
  bound: Bound,
  region: string | undefined,
): Promise<Problem | undefined> {
  const use = useOf(bound, region);
  if (use === undefined) return undefined;
  const object = bound.spec.targetGroupARN === undefined ? 'spec.targetGroup' : 'spec.targetGroupARN';
  return await refusedOf(kubernetes, bound, { use, object });
}

/** Says that an object may not use a target group that it is in; undefined when it may. */
export const refusedGroup = (
  kubernetes: Pick<KubernetesClient, 'list'>,
  bound: Asking,
  arn: string,
): Promise<Problem | undefined> =>
  refusedOf(kubernetes, bound, { use: { of: 'TargetGroup', arn }, object: arn });

type Asking = Pick<Bound, 'key' | 'life'>;

async function refusedOf(
  kubernetes: Pick<KubernetesClient, 'list'>,
  { key, life }: Asking,
  { use, object }: { readonly use: Use; readonly object: string },
): Promise<Problem | undefined> {
  const access = await accessPolicies(kubernetes).of(key.namespace, life.signal);
  const refusal = refusalOf(access, use);
  if (refusal === undefined) return undefined;
  return { object, reason: 'NotAllowed', message: `${refusal} What is registered stays meanwhile.` };
}

/** The target group that an object asks for; that none can be created is said elsewhere. */
function useOf({ spec, status, key, uid }: Bound, region: string | undefined): Use | undefined {
  if (spec.targetGroupARN !== undefined) return { of: 'TargetGroup', arn: spec.targetGroupARN };
  if (status.created === true && status.targetGroupARN !== undefined)
    return { of: 'TargetGroup', arn: status.targetGroupARN };
  if (region === undefined) return undefined;
  return { of: 'NewTargetGroup', region, name: targetGroupName(key, digest(uid)) };
}
