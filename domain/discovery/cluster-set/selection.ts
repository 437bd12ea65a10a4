import type { Generator } from '../../../crds/cluster-set.ts';
import { providerOf } from './provider.ts';
import type { Reading, SourcedCluster } from './source-reading.ts';

/** The clusters that any of the generators selects of what it has read, each once; the earlier generator has it. */
export function selectedBy(
  generators: readonly Generator[],
  readings: readonly Reading[],
): readonly SourcedCluster[] {
  const found = generators.flatMap((generator, index) =>
    selectedOf(generator, readings[index]?.clusters ?? []),
  );
  return [...new Map(found.toReversed().map((cluster) => [cluster.id, cluster])).values()].toReversed();
}

/** The clusters that a generator selects; those that are being deleted are gone already. */
export function selectedOf(
  generator: Generator,
  clusters: readonly SourcedCluster[],
): readonly SourcedCluster[] {
  const { selector, clusterSelector } = providerOf(generator).settings;
  const wanted = Object.entries((selector ?? clusterSelector)?.matchTags ?? {});
  // A schema refuses a selector without tags; one that got past it must not take every cluster.
  if (wanted.length === 0) return [];
  return clusters.filter(
    ({ state, tags }) =>
      state !== 'Deleting' && wanted.every(([key, value]) => Object.hasOwn(tags, key) && tags[key] === value),
  );
}
