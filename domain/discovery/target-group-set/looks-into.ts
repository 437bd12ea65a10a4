import type { AWSTargetGroupSetSpec } from '../../../crds/aws-target-group-set.ts';
import type { BindingTarget } from '../../../crds/aws-target-group-binding.ts';
import type { KnownCluster } from '../clusters/known-cluster.ts';
import { matches, type LabelSelector } from '../../kubernetes/selector.ts';

type Generator = AWSTargetGroupSetSpec['generators'][number];

/** Whether a generator of an AWSTargetGroupSet looks into a cluster. */
export const generatorLooksInto = (
  { awseks: { clusterSelector: selector } }: Generator,
  cluster: KnownCluster,
): boolean => isTerm(selector) && matches(selector, cluster.labels);

/** Whether an AWSTargetGroupSet looks into a cluster. */
export const setLooksInto = (spec: AWSTargetGroupSetSpec, cluster: KnownCluster): boolean =>
  spec.generators.some((generator) => generatorLooksInto(generator, cluster));

/** Which TargetGroupBindings of a cluster a generator takes: all, or with a template of AWSTargetGroupBindings only those that it selects; undefined: none. */
export const bindingsTakenBy = (
  { awseks: { bindingSelector } }: Generator,
  { bindingTemplate }: AWSTargetGroupSetSpec,
): LabelSelector | undefined => bindingSelector ?? (bindingTemplate === undefined ? {} : undefined);

/** Whether an AWSTargetGroupSet takes TargetGroupBindings of a cluster. */
export const takesBindings = (spec: AWSTargetGroupSetSpec, cluster: KnownCluster): boolean =>
  spec.generators.some(
    (generator) => generatorLooksInto(generator, cluster) && bindingsTakenBy(generator, spec) !== undefined,
  );

/** Whether the nodes or pods of a target may be in a cluster. */
export const targetLooksInto = (
  { ids, clusterName, clusterSelector }: BindingTarget,
  cluster: Pick<KnownCluster, 'name' | 'labels'>,
): boolean => {
  if (ids !== undefined) return false;
  return clusterName === undefined ? matches(clusterSelector, cluster.labels) : clusterName === cluster.name;
};

// A schema refuses a selector without a term, and one that got past it must not take every cluster.
const isTerm = ({
  matchLabels = {},
  matchExpressions = [],
}: Generator['awseks']['clusterSelector']): boolean =>
  Object.keys(matchLabels).length > 0 || matchExpressions.length > 0;
