import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Cell, CellStatus } from '../../crds/cell.ts';
import type { ClusterSet } from '../../crds/cluster-set.ts';
import { compareText } from '../../domain/kubernetes/canonical.ts';
import { VERSION_LABEL } from '../../domain/kubernetes/labels.ts';
import { keyOf } from '../../domain/model/ids.ts';
import { namedARN } from '../../domain/model/target-group.ts';
import { sourceIn } from '../okractl/trace.ts';
import { healthOf } from './cell-page.ts';
import type { ClusterView, UsedGroup } from './view.ts';

/** Everything that clusters are told from. */
export interface ClusterSources {
  readonly groups: Iterable<AWSTargetGroup>;
  readonly sets: Iterable<ClusterSet>;
  readonly cells: Iterable<Cell>;
}

/** What is made by hand belongs to no cluster that Okra knows. */
const BY_HAND = 'made by hand, of no known cluster';

/** Says of each cluster which target groups it has, and in which Cells they carry which weight. */
export function clustersOf({ groups, sets, cells }: ClusterSources): readonly ClusterView[] {
  const served = servedIn(cells);
  const clusters = new Map<string, Known>();
  // A cluster is known by its secret, and each namespace has secrets of its own.
  const of = (namespace: string, secret: string): Known => {
    const key = `${namespace}/${secret}`;
    const known = clusters.get(key) ?? { key, secret, sets: [], groups: [] };
    clusters.set(key, known);
    return known;
  };
  for (const { metadata, status } of sets) {
    const { namespace, name: set } = keyOf({ metadata });
    for (const name of status?.clusters?.names ?? []) of(namespace, name).sets.push(`${namespace}/${set}`);
  }
  for (const group of groups) {
    const { metadata, status } = group;
    const { namespace, name } = keyOf(group);
    const secret = sourceIn(metadata)?.secret;
    const known = served.get(namedARN(group) ?? '') ?? [];
    const health = healthOf(
      known.find(({ healthyTargets }) => healthyTargets !== undefined),
      group,
    );
    const cluster = secret === undefined ? of('', BY_HAND) : of(namespace, secret);
    cluster.groups.push({
      name: `${namespace}/${name}`,
      version: metadata.labels?.[VERSION_LABEL] ?? status?.version ?? '',
      ...(health === undefined ? {} : { health }),
      users: known.map(({ key, role, weight }) => ({ key, role, weight })),
    });
  }
  const byName = Map.groupBy(clusters.values(), ({ secret }) => secret);
  return [...clusters.values()]
    .map(({ key, secret, sets: found, groups: all }) => ({
      name: byName.get(secret)?.length === 1 ? secret : key,
      sets: found.toSorted(compareText),
      groups: all.toSorted((a, b) => compareText(a.name, b.name)),
    }))
    .toSorted(
      (a, b) => Number(a.name === BY_HAND) - Number(b.name === BY_HAND) || compareText(a.name, b.name),
    );
}

/** A cluster by its secret, with what is known of it so far. */
interface Known {
  readonly key: string;
  readonly secret: string;
  readonly sets: string[];
  readonly groups: UsedGroup[];
}

type Served = NonNullable<CellStatus['targetGroups']>[number] & { readonly key: string };

/** The target groups in the rules of Cells, by ARN. */
const servedIn = (cells: Iterable<Cell>): ReadonlyMap<string, readonly Served[]> =>
  Map.groupBy(
    [...cells].flatMap(({ metadata, status }) =>
      (status?.targetGroups ?? []).map((group): Served => ({
        ...group,
        key: `${metadata.namespace ?? 'default'}/${metadata.name}`,
      })),
    ),
    ({ arn }) => arn,
  );
