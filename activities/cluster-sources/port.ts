import type { ClusterSetSpec } from '../../crds/cluster-set.ts';
import type { Reading } from '../../domain/discovery/cluster-set.ts';

/** One entry of `spec.generators` of a ClusterSet. */
export type Generator = ClusterSetSpec['generators'][number];

/** A place that clusters come from: EKS, and what else is added in a file beside this one. */
export interface ClusterSource {
  /** Whether a generator is about this place. */
  takes(generator: Generator): boolean;
  /**
   * Reads every cluster there is, with its tags and how it is reached, or throws; which of them are wanted is decided
   * elsewhere. It says which places it has read; a secret of another place stays. `known` are the ids of the clusters that have a secret, those of other sources among them.
   */
  read(
    generator: Generator,
    signal: AbortSignal,
    known: readonly string[],
  ): Promise<Pick<Reading, 'clusters' | 'places'>>;
}
