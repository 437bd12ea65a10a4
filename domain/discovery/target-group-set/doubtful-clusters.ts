import type { ClusterReading, ObservedTargetGroupSet } from './observed-target-group-set.ts';
import { isRendered, sourceParts } from './source-parts.ts';
import type { BindingAPI } from './target-group-of-binding.ts';
import type { TargetGroupSetDecision } from './target-group-set.ts';

/** The kinds that a cluster has not got when it is asked once more, or why it does not say. */
export type AskedKinds =
  | { readonly ok: true; readonly absent: readonly BindingAPI[] }
  | { readonly ok: false; readonly reason: string; readonly message: string };

/**
 * Says of which clusters groups would go because they were read without their TargetGroupBindings, by the names of their
 * secrets. While the definition of a kind is being deleted a cluster lists ever fewer of its objects, as if a person had
 * deleted some: whether it is so, only the cluster knows.
 */
export function doubtfulClusters(
  { groups: { delete: leaving } }: Pick<TargetGroupSetDecision, 'groups'>,
  { groups, readings }: Pick<ObservedTargetGroupSet, 'groups' | 'readings'>,
): readonly string[] {
  const names = new Set(leaving.map(({ name }) => name));
  const read = new Set(readings.flatMap(({ cluster, found }) => (found.ok ? [cluster.secret] : [])));
  const secrets = groups
    .filter((group) => names.has(group.name) && !isRendered(group))
    .flatMap((group) => sourceParts(group)?.secret ?? []);
  return [...new Set(secrets)].filter((secret) => read.has(secret));
}

/** A reading of a cluster, with what it said when it was asked once more. */
export function withAsked({ cluster, found }: ClusterReading, asked: AskedKinds): ClusterReading {
  if (!found.ok) return { cluster, found };
  if (!asked.ok) return { cluster, found: asked };
  return { cluster, found: { ...found, absent: [...new Set([...(found.absent ?? []), ...asked.absent])] } };
}
