import { digest } from '../../../clients/digest.ts';
import { accessPolicies } from '../../../clients/kubernetes/access-policies.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import { refusalOf, type Use } from '../../../domain/access/access.ts';
import { targetGroupName } from '../../../domain/discovery/target-group-binding/new-target-group.ts';
import type { Problem } from '../../../domain/discovery/sync-status.ts';
import { listBindings } from '../clusters/target-group-bindings.ts';
import type { ClusterReader } from '../clusters/reader.ts';
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

/**
 * Says which TargetGroupBinding of a cluster has its controller deregister what others register in the target group
 * that an object is to move into; undefined when none is known.
 */
export async function refusedManaged(
  reader: ClusterReader,
  { key, spec: { targetGroupARN: arn } }: Bound,
  registeredIn: string | undefined,
): Promise<Problem | undefined> {
  if (arn === undefined || arn === registeredIn) return undefined;
  const found = await Promise.all(
    (await reader.find(key.namespace)).map(async (remote) => {
      const said = await reader.read(remote, `TargetGroupBindings of ${arn}`, ({ client, namespaces }) =>
        managersIn(client, namespaces, arn),
      );
      const name = said.ok ? said.value[0] : undefined;
      return name === undefined ? undefined : `TargetGroupBinding ${name} of cluster ${remote.cluster.name}`;
    }),
  );
  const manager = found.find((one) => one !== undefined);
  if (manager === undefined) return undefined;
  const message = `cannot register targets in ${arn}: ${manager} manages it, whose controller deregisters all targets but its own. Set spec.multiClusterTargetGroup to true there, or name another target group.`;
  return { object: 'spec.targetGroupARN', reason: 'TargetGroupManaged', message };
}

/** The TargetGroupBindings of a cluster that have a target group for themselves. */
async function managersIn(
  client: Parameters<typeof listBindings>[0],
  namespaces: readonly string[],
  arn: string,
): Promise<readonly string[]> {
  const lists = (namespaces.length === 0 ? [undefined] : namespaces).map((one) => listBindings(client, one));
  return (await Promise.all(lists))
    .flat()
    .flatMap((list) => list ?? [])
    .filter((one) => one.arn === arn && !one.isDeleting && one.isMultiCluster !== true)
    .map(({ namespace, name }) => `${namespace}/${name}`);
}

async function refusedOf(
  kubernetes: Pick<KubernetesClient, 'list'>,
  { key, life }: Bound,
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
