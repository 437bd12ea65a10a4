import type { Generator } from '../../../crds/cluster-set.ts';
import type { Reading, SourcedCluster } from './source-reading.ts';

/** The clusters that any of the generators selects of what it has read, each once; the earlier generator has it. */
export function selectedBy(
  generators: readonly Generator[],
  readings: readonly Reading[],
): readonly SourcedCluster[] {
  const found = generators.flatMap((generator, index) =>
    selectByTags(generator, readings[index]?.clusters ?? []),
  );
  return [...new Map(found.toReversed().map((cluster) => [cluster.id, cluster])).values()].toReversed();
}

/** The clusters that a generator selects; those that are being deleted are gone already. */
export function selectByTags(
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

/**
 * The ids of clusters that an earlier generator may select as well, which could not be read now: whose login they get is not known.
 * A role that may not be used is no reason to wait for it.
 */
export function claimableBefore(
  generators: readonly Generator[],
  readings: readonly Reading[],
): ReadonlySet<string> {
  const unread = readings.findIndex(({ failures }) => failures.some(({ reason }) => reason !== 'NotAllowed'));
  if (unread === -1) return new Set();
  const idsOf = (from: number, to: number): readonly string[] =>
    selectedBy(generators.slice(from, to), readings.slice(from, to)).map(({ id }) => id);
  const decided = new Set(idsOf(0, unread));
  return new Set(idsOf(unread + 1, generators.length).filter((id) => !decided.has(id)));
}

/** What the settings of all providers of clusters have in common. */
export interface ProviderSettings {
  readonly selector?: TagSelector | undefined;
  /** An older spelling of `selector`. */
  readonly clusterSelector?: TagSelector | undefined;
  /** The role that the provider is read as, if it is read as another than Okra's own. */
  readonly roleARN?: string | undefined;
  readonly externalID?: string | undefined;
}

interface TagSelector {
  readonly matchTags: Readonly<Record<string, string>>;
}

/** The provider that a generator names, with its settings; the schema has seen to it that there is one. */
export function providerOf(generator: Generator): {
  readonly provider: string;
  readonly settings: ProviderSettings;
} {
  const all: Readonly<Record<string, ProviderSettings | undefined>> = generator;
  for (const [provider, settings] of Object.entries(all)) {
    if (settings !== undefined) return { provider, settings };
  }
  return { provider: 'none', settings: {} };
}
