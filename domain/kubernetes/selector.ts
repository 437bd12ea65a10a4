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

/** Whether a text is a label selector that the API server takes: `team=a,tier in (web, api),!old`. */
export const isSelectorText = (text: string): boolean =>
  // The commas of sets are none between requirements.
  text.split(/,(?![^()]*\))/).every((one) => isRequirement(one.trim()));

function isRequirement(text: string): boolean {
  const [, of = '', values] = /^(\S+)\s+(?:in|notin)\s*\(([^()]*)\)$/.exec(text) ?? [];
  if (values !== undefined)
    return isLabelKey(of) && values.split(',').every((value) => isLabelValue(value.trim()));
  const [key = '', value, ...more] = text.split(/==|!=|[=<>]/).map((part) => part.trim());
  if (value !== undefined) return more.length === 0 && isLabelKey(key) && isLabelValue(value);
  return isLabelKey(key.startsWith('!') ? key.slice(1).trim() : key);
}

/** A Kubernetes label selector: all requirements have to hold. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?: readonly LabelRequirement[] | undefined;
}

export interface LabelRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

export type Labels = Readonly<Record<string, string>> | undefined;

/** Whether labels fulfil a selector; an empty selector matches everything, an absent one nothing. */
export function matches(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (selector === undefined) return false;
  const own = labels ?? {};
  const wanted = Object.entries(selector.matchLabels ?? {});
  const requirements = selector.matchExpressions ?? [];
  return (
    wanted.every(([key, value]) => valueOf(own, key) === value) &&
    requirements.every((requirement) => fulfils(requirement, valueOf(own, requirement.key)))
  );
}

function fulfils(requirement: LabelRequirement, value: string | undefined): boolean {
  const values = requirement.values ?? [];
  switch (requirement.operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      // Only an older CRD lets another operator pass; matching nothing keeps unknown groups out of the rule.
      return false;
  }
}

// A label named like a member of every object, `constructor` say, must not be found where it was not set.
const valueOf = (labels: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(labels, key) ? labels[key] : undefined;
