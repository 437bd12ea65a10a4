import { cut } from '../../text.ts';
import { LONGEST_CLUSTER_NAME, type KnownCluster } from '../clusters/known-cluster.ts';
import type { IdsOfCluster, RegisteredTarget } from './registered-target.ts';

type Named = Pick<KnownCluster, 'name' | 'id'>;

/**
 * Has what was registered of a cluster be of the one that has its id by now, whatever that is called; and when another
 * has got its name, of one that is missing: what that has under the same names and labels are other targets.
 */
export const withFormerNames = (
  targets: readonly RegisteredTarget[],
  clusters: readonly Named[],
): readonly RegisteredTarget[] =>
  targets.map((target) =>
    target.byCluster === undefined
      ? target
      : { ...target, byCluster: target.byCluster.map((one) => renamed(one, clusters)) },
  );

function renamed(one: IdsOfCluster, clusters: readonly Named[]): IdsOfCluster {
  const { cluster, id } = one;
  if (id === undefined) return one;
  const same = clusters.filter((known) => known.id === id);
  const [first] = same;
  if (first !== undefined)
    return same.some(({ name }) => name === cluster) ? one : { ...one, cluster: first.name };
  const others = clusters.filter(({ name }) => name === cluster);
  // Of a secret that someone has written nobody knows whether it is still of the same cluster.
  const isOther = others.length > 0 && others.every((known) => known.id !== undefined);
  return isOther ? { ...one, cluster: cut(`${cluster} (${id})`, LONGEST_CLUSTER_NAME) } : one;
}
