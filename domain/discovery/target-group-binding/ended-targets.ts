import { lookedAt, type SeenCluster } from './binding-ids.ts';
import {
  mayBeSame,
  onlyIds,
  targetTextOf,
  textsOf,
  type IdsOfCluster,
  type RegisteredTarget,
  type Registration,
} from './registered-target.ts';
import type { ObservedBinding } from './target-group-binding.ts';
import { instanceIdOf } from './target-ids.ts';

/**
 * Leaves of some targets those that have ended: each cluster that they were found in was read, and has them no more,
 * under any labels. It is known only while `targets` are what they were found with.
 */
export function endedOf(
  some: readonly Registration[],
  { ours, targets, clusters, namespace }: ObservedBinding,
): readonly Registration[] {
  const found = ours.flatMap(({ name, port, byCluster = [] }) => {
    const target = targets.find((one) => one.name === name);
    const what = target === undefined ? undefined : lookedAt(target, namespace);
    return byCluster.flatMap((one) => {
      const seen = clusters.filter((cluster) => (cluster.what ?? what) === what && isOf(cluster, one));
      const hasEnded = what === undefined || seen.length === 0 ? () => false : hasNone(seen);
      return one.ids.map((id) => ({ id, port, hasEnded: hasEnded(id) }));
    });
  });
  const byText = Map.groupBy(found, targetTextOf);
  return some.filter((one) => byText.get(targetTextOf(one))?.every(({ hasEnded }) => hasEnded) ?? false);
}

/** Says in which clusters some targets were found: the record of what is to go says it no more (fitting-targets.ts). */
export function whereFound(
  some: readonly Registration[],
  found: readonly RegisteredTarget[],
): readonly RegisteredTarget[] {
  const texts = textsOf(some);
  return found
    .filter(({ byCluster = [] }) => byCluster.length > 0)
    .map((target) => onlyIds(target, (id) => texts.has(targetTextOf({ id, port: target.port }))))
    .filter(({ ids = [] }) => ids.length > 0);
}

const isOf = ({ name, id }: SeenCluster, one: IdsOfCluster): boolean =>
  name === one.cluster && mayBeSame({ id }, one);

function hasNone(clusters: readonly SeenCluster[]): (id: string) => boolean {
  const there = new Set<string | undefined>();
  for (const { seen } of clusters) {
    if (!seen.ok) return () => false;
    for (const { address, isEnding } of seen.pods) if (!isEnding) there.add(address);
    for (const { address, providerID, isDeleting } of seen.nodes)
      if (!isDeleting) there.add(address).add(instanceIdOf(providerID));
  }
  return (id) => !there.has(id);
}
