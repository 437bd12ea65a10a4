import type { Stage } from '../../crds/staged-binding-policy.ts';
import type { LabelSelector } from '../kubernetes/selector.ts';

type Selectors = Stage['clusterSelectors'];

/** Whether there may be a cluster that both select; what nobody knows may select any. */
export function mayShare(a: Selectors | undefined, b: Selectors): boolean {
  return a === undefined || a.some((one) => b.some((other) => !areApart(one, other)));
}

/** Whether both ask of one label for values of which none is the same. */
function areApart(a: LabelSelector, b: LabelSelector): boolean {
  const wanted = requiredBy(b);
  return requiredBy(a).some(({ key, values }) =>
    wanted.some((other) => other.key === key && !other.values.some((value) => values.includes(value))),
  );
}

const requiredBy = ({ matchLabels = {}, matchExpressions = [] }: LabelSelector) => [
  ...Object.entries(matchLabels).map(([key, value]) => ({ key, values: [value] })),
  ...matchExpressions.flatMap(({ key, operator, values = [] }) =>
    operator === 'In' ? [{ key, values }] : [],
  ),
];
