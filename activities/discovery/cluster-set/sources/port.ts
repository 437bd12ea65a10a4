import type { Generator } from '../../../../crds/cluster-set.ts';
import type { SourcedCluster, UnreadCluster } from '../../../../domain/discovery/cluster-set/cluster-set.ts';

/** What a source knows of its clusters. */
export interface SourceReading {
  readonly clusters: readonly SourcedCluster[];
  /** The places that were read, each by how the ids of all clusters there begin. */
  readonly places: readonly string[];
  /** Those of which nothing can be read but the name. */
  readonly unread: readonly UnreadCluster[];
}

/** A place that clusters come from, with the settings that a generator has for it. */
export interface ClusterSource<Settings> {
  /**
   * Reads every cluster there is, with its tags and how it is reached, or throws; which of them are wanted is decided
   * elsewhere. It says which places it has read; a secret of another place stays. `known` are the ids of the clusters that have a secret, those of other sources among them.
   */
  read(settings: Settings, signal: AbortSignal, known: readonly string[]): Promise<SourceReading>;
}

/** The settings that a generator has for a provider. */
export type SettingsOf<Provider extends keyof Generator> = NonNullable<Generator[Provider]>;

/** The source of each provider that a generator can name. */
export type ClusterSources = {
  readonly [Provider in keyof Generator]-?: ClusterSource<SettingsOf<Provider>>;
};
