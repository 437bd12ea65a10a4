import { isLabelKey, isLabelValue } from './label-syntax.ts';

/** Whether a text is a label selector that the API server takes: `team=a,tier in (web, api),!old`. */
export const isSelectorText = (text: string): boolean => requirementsIn(text).every(isRequirement);

/** What stands between the commas, but for those of sets. */
function requirementsIn(text: string): readonly string[] {
  const found = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === ',' && depth === 0) found.push('');
    else found.push(`${found.pop() ?? ''}${character}`);
  }
  return found.map((one) => one.trim());
}

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

/** One requirement of a label selector. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
}

/** The labels of an object; undefined when it has none. */
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
