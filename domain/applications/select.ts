import type { ApplicationOfCell } from '../../crds/application.ts';
import type { ClusterOfCell } from '../../crds/cell-clusters.ts';
import type { ObservedCluster } from './observation.ts';

/** The clusters of a Cell, as written and as observed. */
export interface Clusters {
  readonly written: readonly ClusterOfCell[];
  readonly observed: readonly ObservedCluster[];
}

/** Selects the clusters that an application runs on, in the order of the spec; undefined while the tags of some cluster are not known. */
export function selectClusters(
  { clusterSelector }: Pick<ApplicationOfCell, 'clusterSelector'>,
  { written, observed }: Clusters,
): readonly ClusterOfCell[] | undefined {
  if (clusterSelector === undefined) return written;
  const { matchEKSTags, ...labels } = clusterSelector;
  if (matchEKSTags === undefined) return written.filter((cluster) => hasAll(cluster.labels ?? {}, labels));
  const known = written.map((cluster) => ({
    cluster,
    found: observed.find(({ name, found }) => name === cluster.name && found !== undefined),
  }));
  if (known.some(({ found }) => found === undefined)) return undefined;
  return known.filter(({ found }) => hasAll(found?.tags ?? {}, matchEKSTags)).map(({ cluster }) => cluster);
}

type Texts = Readonly<Record<string, string>>;

const hasAll = (found: Texts, wanted: Texts): boolean =>
  Object.entries(wanted).every(([key, value]) => Object.hasOwn(found, key) && found[key] === value);
