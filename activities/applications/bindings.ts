import type { ApplicationOfCell } from '../../crds/application.ts';
import { boundTargetGroup } from '../../domain/applications/bindings.ts';
import type { Facts, FoundBinding } from '../../domain/applications/resolve.ts';
import type { RemoteBinding } from '../../domain/discovery/target-group-set/target-group-of-binding.ts';
import { inBatches } from '../../clients/concurrency.ts';
import { listBindings } from '../discovery/clusters/target-group-bindings.ts';
import { toFailure } from '../failure.ts';
import type { LookedAtCluster } from './clusters.ts';

type Listed =
  { readonly ok: true; readonly bindings: readonly RemoteBinding[] } | Extract<FoundBinding, { ok: false }>;

const AT_ONCE = 16;

/** Finds what `targetgroupBindingSelector` of each application selects in each cluster; a cluster that no application asks about is left alone. */
export async function findBindings(
  applications: readonly ApplicationOfCell[],
  clusters: readonly LookedAtCluster[],
): Promise<Facts['bindings']> {
  const asking = applications.flatMap(({ name, alb }) => {
    const selector = alb?.forwardConfig.targetGroup.targetgroupBindingSelector;
    return selector === undefined ? [] : [{ name, selector }];
  });
  if (asking.length === 0) return {};
  const listed = await inBatches(clusters, AT_ONCE, async (cluster) => ({
    name: cluster.observed.name,
    listed: await listIn(cluster),
  }));
  return Object.fromEntries(
    asking.map(({ name, selector }) => [
      name,
      Object.fromEntries(listed.map((one) => [one.name, found(one.name, selector, one.listed)])),
    ]),
  );
}

const found = (cluster: string, selector: string, listed: Listed): FoundBinding =>
  listed.ok ? boundTargetGroup(cluster, selector, listed.bindings) : listed;

async function listIn({ client, observed }: LookedAtCluster): Promise<Listed> {
  if (client === undefined) return { ok: false, message: observed.message, isUnanswered: true };
  try {
    const kinds = (await listBindings(client)).filter((kind) => kind !== undefined);
    if (kinds.length > 0) return { ok: true, bindings: kinds.flat() };
    const message = `Expected the kind TargetGroupBinding in cluster ${observed.name}, got none. Install the AWS Load Balancer Controller there.`;
    return { ok: false, message };
  } catch (error) {
    return { ok: false, message: toFailure(error).message, isUnanswered: true };
  }
}
