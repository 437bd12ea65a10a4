import type { Problem } from '../sync-status.ts';
import type { LostKinds } from './lost-kinds.ts';
import type { ClusterReading, ExistingGroup } from './observed-target-group-set.ts';
import { isRendered, sourceParts } from './source-parts.ts';

/** The clusters that could not be read, and those that were read in some namespaces only. */
export interface Unread {
  /** Whether a group may still have what it was made of, in a place that could not be looked at. */
  readonly mayHide: (group: Pick<ExistingGroup, 'name' | 'annotations' | 'arn'>) => boolean;
  /** Says which groups are in namespaces that the secrets of their clusters do not allow any more. */
  readonly problemsOf: (groups: readonly ExistingGroup[]) => readonly Problem[];
}

/** Says what the readings of a set leave open; `unrendered` are the secrets of clusters whose template could not be filled in. */
export function unreadSourcesIn(
  readings: readonly ClusterReading[],
  { unrendered, lost }: { readonly unrendered: readonly string[]; readonly lost: LostKinds },
): Unread {
  const unread = new Set([
    ...readings.flatMap(({ cluster, found }) => (found.ok ? [] : [cluster.secret])),
    ...unrendered,
  ]);
  const limited = new Map(
    readings.flatMap(({ cluster, found }) =>
      found.ok && found.namespaces !== undefined && found.namespaces.length > 0
        ? [[cluster.secret, { cluster: cluster.name, namespaces: found.namespaces }] as const]
        : [],
    ),
  );
  /** The cluster that allows others, but not the namespace that a group is from. */
  const closedTo = (group: Pick<ExistingGroup, 'name' | 'annotations'>) => {
    const from = sourceParts(group);
    const limit = limited.get(from?.secret ?? '');
    if (from === undefined || limit === undefined || isRendered(group)) return undefined;
    return limit.namespaces.includes(from.namespace) ? undefined : { ...limit, namespace: from.namespace };
  };
  return {
    mayHide(group) {
      const from = sourceParts(group);
      // One that has lost where it is from may be of any cluster.
      if (from === undefined) return unread.size > 0 || lost.problems.length > 0;
      return unread.has(from.secret) || lost.isLost(group) || closedTo(group) !== undefined;
    },
    problemsOf: (groups) =>
      groups.flatMap((group) => {
        const closed = closedTo(group);
        return closed === undefined ? [] : [notAllowed(group.name, closed)];
      }),
  };
}

const notAllowed = (
  object: string,
  of: { readonly cluster: string; readonly namespace: string; readonly namespaces: readonly string[] },
): Problem => ({
  cluster: of.cluster,
  object,
  reason: 'NamespaceNotAllowed',
  message: `Expected namespace ${of.namespace}, which AWSTargetGroup ${object} is from, among those that the secret of cluster ${of.cluster} allows, got ${of.namespaces.slice(0, 10).join(', ')}. It stays as it is; add the namespace to the secret, or delete the AWSTargetGroup.`,
});
