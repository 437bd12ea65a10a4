import { digest } from '../../clients/digest.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { ApplicationOfCell } from '../../crds/application.ts';
import { childName } from '../../domain/applications/names.ts';
import { canonical, compareText } from '../../domain/kubernetes/canonical.ts';
import { targetGroupsOf } from '../../domain/load-balancers/load-balancer.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import { configViewOf, readConfig } from '../load-balancers/config-object.ts';

/** Digest of the forward config of an application: what `alb` says, and the target groups that get traffic now. */
export const forwardHashOf = async (
  kubernetes: Pick<KubernetesClient, 'get'>,
  key: ObjectKey,
  { name, alb }: ApplicationOfCell,
): Promise<string> => digest(canonical([alb, await servedBy(kubernetes, key, name)]));

/** The target groups that an application's rule gives traffic to now. */
async function servedBy(
  kubernetes: Pick<KubernetesClient, 'get'>,
  { namespace, name }: ObjectKey,
  application: string,
): Promise<readonly string[]> {
  const type = 'AWSApplicationLoadBalancer';
  const ref = { type, key: { namespace, name: childName(name, application) } } as const;
  const object = await readConfig(kubernetes, ref);
  const observed = object === undefined ? undefined : configViewOf(ref, object).status.observed;
  if (observed === undefined) return [];
  return targetGroupsOf(observed)
    .flatMap(({ arn, weight }) => (weight > 0 ? [arn] : []))
    .toSorted(compareText);
}
