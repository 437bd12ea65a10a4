import { isLabelKey, isLabelValue } from './label-syntax.ts';

// Tools that find out what a node can do write a hundred.
const MOST_LABELS = 500;

/** Takes of labels those that an API server lets an object have, and no more than any has: who runs a cluster may have any answer made up. */
export function validLabels(
  labels: Readonly<Record<string, string>> | null | undefined,
): Readonly<Record<string, string>> {
  const valid = Object.entries(labels ?? {}).filter(([key, value]) => isLabelKey(key) && isLabelValue(value));
  return Object.fromEntries(valid.slice(0, MOST_LABELS));
}
