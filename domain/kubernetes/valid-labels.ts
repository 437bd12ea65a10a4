// https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const PREFIX = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;

// Tools that find out what a node can do write a hundred.
const MOST_LABELS = 500;

/** Takes of labels those that an API server lets an object have, and no more than any has: who runs a cluster may have any answer made up. */
export function validLabels(
  labels: Readonly<Record<string, string>> | null | undefined,
): Readonly<Record<string, string>> {
  const valid = Object.entries(labels ?? {}).filter(([key, value]) => isKey(key) && isValue(value));
  return Object.fromEntries(valid.slice(0, MOST_LABELS));
}

function isKey(key: string): boolean {
  const at = key.indexOf('/');
  return at < 0 ? NAME.test(key) : PREFIX.test(key.slice(0, at)) && NAME.test(key.slice(at + 1));
}

const isValue = (value: string): boolean => value === '' || NAME.test(value);
