import { SOURCE_ANNOTATION } from '../labels.ts';
import type { RegisteredTarget } from './registered-target.ts';
import type { ObservedTargetGroupSet, TargetGroupSetDecision } from './target-group-set.ts';

/** Whether a set would delete something because the secret of a cluster is not there, or not selected. */
export function setLosesCluster(
  { groups, bindings }: Pick<TargetGroupSetDecision, 'groups' | 'bindings'>,
  observed: Pick<ObservedTargetGroupSet, 'readings' | 'groups'>,
): boolean {
  // Of which cluster a binding was does not stand in it.
  if (bindings.delete.length > 0) return true;
  const here = new Set(observed.readings.map(({ cluster }) => cluster.secret));
  const going = new Set(groups.delete.map(({ name }) => name));
  return observed.groups.some(
    ({ name, annotations }) =>
      going.has(name) && !here.has(annotations[SOURCE_ANNOTATION]?.split('/')[0] ?? ''),
  );
}

/** Whether something is registered of a cluster that is selected by its labels, and is not there any more. */
export const bindingLosesCluster = (
  ours: readonly RegisteredTarget[],
  clusters: readonly { readonly name: string }[],
): boolean =>
  ours
    .flatMap(({ byCluster = [] }) => byCluster)
    .some(({ cluster, ids }) => ids.length > 0 && !clusters.some(({ name }) => name === cluster));
