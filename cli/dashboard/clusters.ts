import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Cell } from '../../crds/cell.ts';
import type { ClusterSet } from '../../crds/cluster-set.ts';
import { compareText } from '../../domain/kubernetes/canonical.ts';
import { VERSION_LABEL } from '../../domain/kubernetes/labels.ts';
import { sourceIn } from '../okractl/origin.ts';
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
  const users = usersOf(cells);
  const byCluster = new Map<string, { readonly sets: string[]; readonly groups: UsedGroup[] }>();
  const of = (name: string) => {
    const known = byCluster.get(name) ?? { sets: [], groups: [] };
    byCluster.set(name, known);
    return known;
  };
  for (const { metadata, status } of sets)
    for (const name of status?.clusters?.names ?? [])
      of(name).sets.push(`${metadata.namespace ?? 'default'}/${metadata.name}`);
  for (const group of groups) {
    const { metadata, spec, status } = group;
    const health = healthOf(group);
    of(sourceIn(metadata)?.secret ?? BY_HAND).groups.push({
      name: `${metadata.namespace ?? 'default'}/${metadata.name}`,
      version: metadata.labels?.[VERSION_LABEL] ?? status?.version ?? '',
      ...(health === undefined ? {} : { health }),
      users: users.get(spec.arn) ?? [],
    });
  }
  return [...byCluster]
    .map(([name, { sets: found, groups: all }]) => ({
      name,
      sets: found.toSorted(compareText),
      groups: all.toSorted((a, b) => compareText(a.name, b.name)),
    }))
    .toSorted(
      (a, b) => Number(a.name === BY_HAND) - Number(b.name === BY_HAND) || compareText(a.name, b.name),
    );
}

/** In which Cells a target group is in the rule, by its ARN. */
function usersOf(cells: Iterable<Cell>): ReadonlyMap<string, UsedGroup['users']> {
  const users = new Map<string, UsedGroup['users'][number][]>();
  for (const { metadata, status } of cells)
    for (const { arn, role, weight } of status?.targetGroups ?? []) {
      const known = users.get(arn) ?? [];
      users.set(arn, known);
      known.push({ key: `${metadata.namespace ?? 'default'}/${metadata.name}`, role, weight });
    }
  return users;
}
