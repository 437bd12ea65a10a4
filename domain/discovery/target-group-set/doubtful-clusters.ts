import type { ClusterReading, ObservedTargetGroupSet } from './observed-target-group-set.ts';
import { isRendered, sourceParts } from './source-parts.ts';
import type { BindingAPI } from './target-group-of-binding.ts';
import type { TargetGroupSetDecision } from './target-group-set.ts';

/** Which kinds of TargetGroupBinding a cluster has not got, and since when it has the others. */
export interface KindsThere {
  readonly absent: readonly BindingAPI[];
  /** When the definition of a kind was made; a kind of which Okra may not see that is left out. */
  readonly since: Readonly<Partial<Record<BindingAPI, string>>>;
}

/** The kinds that a cluster has when it is asked once more, or why it does not say. */
export type AskedKinds =
  | ({ readonly ok: true } & KindsThere)
  | { readonly ok: false; readonly reason: string; readonly message: string };

/**
 * Says of which clusters groups would go, or be left to other sets, because they were read without their TargetGroupBindings, by the names of their
 * secrets. While the definition of a kind is being deleted a cluster lists ever fewer of its objects, as if a person had
 * deleted some, and none when the definition has just been made again: whether it is so, only the cluster knows.
 */
export function doubtfulClusters(
  { groups: { delete: leaving }, handover }: Pick<TargetGroupSetDecision, 'groups' | 'handover'>,
  { groups, readings }: Pick<ObservedTargetGroupSet, 'groups' | 'readings'>,
): readonly string[] {
  // What this set does not wait for any more goes with the set that has it.
  const names = new Set([...leaving.map(({ name }) => name), ...handover.groups.release]);
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
  const absent = [...new Set([...(found.absent ?? []), ...asked.absent])];
  return { cluster, found: { ...found, absent, since: asked.since } };
}
