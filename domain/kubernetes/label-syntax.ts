// Tools that find out what a node can do write a hundred.
const MOST_LABELS = 500;

/** Takes of labels those that an API server lets an object have, and no more than any has: who runs a cluster may have any answer made up. */
export function validLabels(
  labels: Readonly<Record<string, string>> | null | undefined,
): Readonly<Record<string, string>> {
  const valid = Object.entries(labels ?? {}).filter(([key, value]) => isLabelKey(key) && isLabelValue(value));
  return Object.fromEntries(valid.slice(0, MOST_LABELS));
}

const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const PREFIX = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

/** Whether a text may be the value of a label (https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/). */
export const isLabelValue = (text: string): boolean => text === '' || NAME.test(text);

/** Whether a text may be the key of a label or an annotation. */
export function isLabelKey(text: string): boolean {
  const [name = '', prefix, ...more] = text.split('/').toReversed();
  if (more.length > 0 || !NAME.test(name)) return false;
  return prefix === undefined || (prefix.length <= 253 && PREFIX.test(prefix));
}

/** How long the name of an object may be, in characters. */
export const LONGEST_OBJECT_NAME = 253;

/** Whether a text may be the name of an object (RFC 1123, a subdomain). */
export const isObjectName = (text: string): boolean =>
  text.length <= LONGEST_OBJECT_NAME && PREFIX.test(text);
