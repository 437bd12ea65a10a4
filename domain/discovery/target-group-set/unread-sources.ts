import { SOURCE_ANNOTATION } from '../../kubernetes/labels.ts';
import type { Problem } from '../sync-status.ts';
import type { ClusterReading, ExistingGroup } from './observed-target-group-set.ts';

/** What a group is made of, in its parts; undefined when it has lost where it is from. */
export function sourceParts({ annotations }: Pick<ExistingGroup, 'annotations'>):
  | {
      readonly source: string;
      readonly secret: string;
      readonly namespace: string;
      readonly name: string;
    }
  | undefined {
  const source = annotations[SOURCE_ANNOTATION];
  const [secret, namespace, name] = source?.split('/') ?? [];
  return source === undefined || secret === undefined || namespace === undefined || name === undefined
    ? undefined
    : { source, secret, namespace, name };
}

/** The clusters that could not be read, and those that were read in some namespaces only. */
export interface Unread {
  /** Whether a group may still have what it was made of, in a place that could not be looked at. */
  readonly mayHide: (group: Pick<ExistingGroup, 'name' | 'annotations'>) => boolean;
  /** Says which groups are in namespaces that the secrets of their clusters do not allow any more. */
  readonly problemsOf: (groups: readonly ExistingGroup[]) => readonly Problem[];
}

/** Says what the readings of a set leave open; `unrendered` are the secrets of clusters whose template could not be filled in. */
export function unreadSourcesIn(readings: readonly ClusterReading[], unrendered: readonly string[]): Unread {
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
    // What is made of a template is in no namespace of the cluster, and has its own name there.
    const isRendered = from?.namespace === 'rendered' && from.name === group.name;
    if (from === undefined || limit === undefined || isRendered) return undefined;
    return limit.namespaces.includes(from.namespace) ? undefined : { ...limit, namespace: from.namespace };
  };
  return {
    mayHide(group) {
      const from = sourceParts(group);
      // One that has lost where it is from may be of any cluster.
      if (from === undefined) return unread.size > 0;
      return unread.has(from.secret) || closedTo(group) !== undefined;
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
