import { mayBeSame, type NamedCluster, type RegisteredTarget } from './registered-target.ts';

/** The result of looking for the ids of a target. */
interface Looked {
  readonly target: { readonly name: string };
  readonly ids: readonly string[];
  readonly byCluster?: readonly { readonly cluster: string }[];
  /** The clusters that could not be read, or are not known. */
  readonly unread: readonly NamedCluster[];
}

/**
 * What an object has registered of clusters that cannot be read now, under whatever name: targets that are renamed, or
 * split, find the ids of a slow cluster only when it answers, and until then these stay as they are. The same goes for
 * clusters that are missing, and may come back.
 */
export function keptOfUnread(
  ours: readonly RegisteredTarget[],
  looked: readonly Looked[],
  missing: readonly string[] = [],
): readonly RegisteredTarget[] {
  const dark = looked.flatMap((one) => one.unread);
  const unread = new Set([...missing, ...dark.map(({ cluster }) => cluster)]);
  if (unread.size === 0) return [];
  const here = new Set(looked.flatMap(({ byCluster = [] }) => byCluster.map(({ cluster }) => cluster)));
  const known = new Set(ours.flatMap(({ byCluster = [] }) => byCluster.map(({ cluster }) => cluster)));
  // One of which nothing is known by its name may be called something else by now.
  const strangers = dark.filter(({ cluster }) => !known.has(cluster));
  const isKept = (one: NamedCluster): boolean =>
    unread.has(one.cluster) ||
    (!here.has(one.cluster) && strangers.some((stranger) => mayBeSame(one, stranger)));
  return ours.flatMap(({ name, port, byCluster = [] }) => {
    const carried = new Set(looked.filter(({ target }) => target.name === name).flatMap(({ ids }) => ids));
    const kept = byCluster
      .filter(isKept)
      .map((one) => ({ ...one, ids: one.ids.filter((id) => !carried.has(id)) }))
      .filter(({ ids }) => ids.length > 0);
    return kept.length === 0
      ? []
      : [{ name, port, ids: [...new Set(kept.flatMap(({ ids }) => ids))], byCluster: kept }];
  });
}
