import type { Problem } from '../sync-status.ts';
import type { Existing, Marks } from '../generated.ts';
import type { Generator } from '../../../crds/cluster-set.ts';

/** A cluster as its source knows it. */
export interface SourcedCluster {
  /** What no other cluster has: the ARN of an EKS cluster. */
  readonly id: string;
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  /** Whether it can be used: yes, not now, or never again. */
  readonly state: 'Active' | 'Waiting' | 'Deleting';
  /** The state in the words of the source, such as CREATING. */
  readonly said: string;
  readonly vpcID?: string | undefined;
  /** How Argo CD reaches it: the content of a cluster secret, with the config of one that has the id for the server; undefined while that is not known. */
  readonly access?:
    { readonly server: string; readonly config: string; readonly configByARN?: string } | undefined;
}

/** A cluster of which a source knows no more than that there may be one. */
export interface UnreadCluster {
  /** The ids that it may have, of those that have a secret. */
  readonly ids: readonly string[];
  /** Where it is, and what it is called there; undefined where nobody has looked. */
  readonly named?: { readonly region: string; readonly name: string };
  readonly problem: Problem;
}

/** What a source answered to one generator; what it could not read at all is a failure. */
export interface Reading {
  readonly clusters: readonly SourcedCluster[];
  /** The places that were read, each by how the ids (ARNs) of all clusters there begin. */
  readonly places: readonly string[];
  readonly unread: readonly UnreadCluster[];
  readonly failures: readonly Problem[];
}

/** The clusters that no generator could read. */
export function unreadIn(readings: readonly Reading[]): readonly Pick<UnreadCluster, 'ids' | 'problem'>[] {
  const read = new Set(readings.flatMap(({ clusters }) => clusters.map(({ id }) => id)));
  const unread = readings
    .flatMap((reading) => reading.unread)
    .filter(({ ids }) => ids.length === 0 || ids.some((id) => !read.has(id)))
    .map(({ ids, problem }) => ({ problem, ids: ids.filter((id) => !read.has(id)) }));
  // Generators that ask the same place are told the same.
  return [...Map.groupBy(unread, ({ problem }) => problem.message).values()].flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [{ problem: first.problem, ids: [...new Set([first, ...others].flatMap(({ ids }) => ids))] }],
  );
}

/** A secret that there is, as far as it matters. */
export interface ExistingSecret extends Existing {
  readonly content: Readonly<Record<string, string>>;
}

/** A secret as it is to be. */
export interface DesiredSecret extends Marks {
  readonly name: string;
  readonly content: Readonly<Record<'name' | 'server' | 'config', string>>;
}

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
  { awseks: { selector, clusterSelector } }: Generator,
  clusters: readonly SourcedCluster[],
): readonly SourcedCluster[] {
  const wanted = Object.entries((selector ?? clusterSelector)?.matchTags ?? {});
  // A schema refuses a selector without tags; one that got past it must not take every cluster.
  if (wanted.length === 0) return [];
  return clusters.filter(
    ({ state, tags }) =>
      state !== 'Deleting' && wanted.every(([key, value]) => Object.hasOwn(tags, key) && tags[key] === value),
  );
}
