import { CLUSTER_ID_ANNOTATION, SOURCE_ANNOTATION } from '../../kubernetes/labels.ts';
import { cut } from '../../text.ts';
import { LONGEST_CLUSTER_NAME } from '../clusters/known-cluster.ts';
import type { ExistingGroup, ObservedTargetGroupSet } from './observed-target-group-set.ts';
import { sourceParts } from './source-parts.ts';

/** What stands for the secret that a cluster had before another has one of that name: no secret is called so. */
const formerSecret = (secret: string, id: string): string =>
  cut(`${secret} (${id.replaceAll('/', '%2F')})`, LONGEST_CLUSTER_NAME);

/** Whether a group is one of those of a cluster whose secret has become another's. */
export const isOfFormerCluster = (group: Pick<ExistingGroup, 'annotations'>): boolean =>
  sourceParts(group)?.secret.includes(' ') === true;

/** Says what a set was to find where something that it has made is missed. */
export function expectedSecret(name: string): string {
  const [, secret, id] = /^(\S+) \((.*?)\)?$/.exec(name) ?? [];
  return secret === undefined || id === undefined
    ? `Expected Secret ${name} of a cluster that this set selects, got none`
    : `Expected Secret ${secret} to be that of cluster ${id.replaceAll('%2F', '/')}, got that of another`;
}

/**
 * Has the groups of a cluster be those of one that is gone when its secret has become another cluster's: what that
 * cluster has under the same names are other target groups, to which no traffic may move because of it.
 */
export function withFormerClusters({
  uid,
  readings,
  groups,
}: Pick<ObservedTargetGroupSet, 'uid' | 'readings' | 'groups'>): readonly ExistingGroup[] {
  const ids = new Map(readings.map(({ cluster }) => [cluster.secret, cluster.id]));
  return groups.map((group) => {
    const from = sourceParts(group);
    const was = group.annotations[CLUSTER_ID_ANNOTATION];
    const is = ids.get(from?.secret ?? '');
    // Of a secret that someone has written nobody knows whether it is still of the same cluster.
    if (group.owner?.uid !== uid || from === undefined || was === undefined || is === undefined || was === is)
      return group;
    const source = `${formerSecret(from.secret, was)}${from.source.slice(from.secret.length)}`;
    return { ...group, annotations: { ...group.annotations, [SOURCE_ANNOTATION]: source } };
  });
}
