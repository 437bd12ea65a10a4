import type { RegisteredTarget } from './registered-target.ts';

/** The result of looking for the ids of a target. */
interface Looked {
  readonly target: { readonly name: string };
  readonly ids: readonly string[];
  readonly byCluster?: readonly { readonly cluster: string }[];
  /** The clusters that could not be read, or are not known. */
  readonly unread: readonly string[];
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
  const unread = new Set([...missing, ...looked.flatMap((one) => one.unread)]);
  if (unread.size === 0) return [];
  const here = new Set(looked.flatMap(({ byCluster = [] }) => byCluster.map(({ cluster }) => cluster)));
  const known = new Set(ours.flatMap(({ byCluster = [] }) => byCluster.map(({ cluster }) => cluster)));
  // One of which nothing is known by its name may be called something else by now.
  const mayBeRenamed = [...unread].some((cluster) => !known.has(cluster));
  const isDark = (cluster: string): boolean => unread.has(cluster) || (mayBeRenamed && !here.has(cluster));
  return ours.flatMap(({ name, port, byCluster = [] }) => {
    const carried = new Set(looked.filter(({ target }) => target.name === name).flatMap(({ ids }) => ids));
    const dark = byCluster
      .filter(({ cluster }) => isDark(cluster))
      .map((one) => ({ ...one, ids: one.ids.filter((id) => !carried.has(id)) }))
      .filter(({ ids }) => ids.length > 0);
    return dark.length === 0
      ? []
      : [{ name, port, ids: [...new Set(dark.flatMap(({ ids }) => ids))], byCluster: dark }];
  });
}
