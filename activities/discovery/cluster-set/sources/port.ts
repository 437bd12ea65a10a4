import type { ClusterSetSpec } from '../../../../crds/cluster-set.ts';
import type { SourcedCluster, UnreadCluster } from '../../../../domain/discovery/cluster-set/cluster-set.ts';

/** One entry of `spec.generators` of a ClusterSet. */
export type Generator = ClusterSetSpec['generators'][number];

/** What a source knows of its clusters. */
export interface SourceReading {
  readonly clusters: readonly SourcedCluster[];
  /** The places that were read, each by how the ids of all clusters there begin. */
  readonly places: readonly string[];
  /** Those of which nothing can be read but the name. */
  readonly unread: readonly UnreadCluster[];
}

/** A place that clusters come from: EKS, and what else is added in a file beside this one. */
export interface ClusterSource {
  /** Whether a generator is about this place. */
  takes(generator: Generator): boolean;
  /**
   * Reads every cluster there is, with its tags and how it is reached, or throws; which of them are wanted is decided
   * elsewhere. It says which places it has read; a secret of another place stays. `known` are the ids of the clusters that have a secret, those of other sources among them.
   */
  read(generator: Generator, signal: AbortSignal, known: readonly string[]): Promise<SourceReading>;
}
