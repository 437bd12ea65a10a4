import type { AWSTargetGroupSetSpec } from '../../crds/aws-target-group-set.ts';
import type { BindingTarget } from '../../crds/binding-targets.ts';
import type { KnownCluster } from './known-cluster.ts';
import { matches } from '../selector.ts';

/** Whether an AWSTargetGroupSet looks into a cluster. */
export const setLooksInto = (spec: AWSTargetGroupSetSpec, cluster: KnownCluster): boolean =>
  spec.generators.some(
    ({ awseks: { clusterSelector: selector } }) => isTerm(selector) && matches(selector, cluster.labels),
  );

/** Whether the nodes or pods of a target may be in a cluster. */
export const targetLooksInto = (
  { ids, clusterName, clusterSelector }: BindingTarget,
  cluster: KnownCluster,
): boolean => {
  if (ids !== undefined) return false;
  return clusterName === undefined ? matches(clusterSelector, cluster.labels) : clusterName === cluster.name;
};

type Selector = AWSTargetGroupSetSpec['generators'][number]['awseks']['clusterSelector'];

/** Whether a selector has a term; a schema refuses one without, and one that got past it must not take every cluster. */
export const isTerm = ({ matchLabels = {}, matchExpressions = [] }: Selector): boolean =>
  Object.keys(matchLabels).length > 0 || matchExpressions.length > 0;
