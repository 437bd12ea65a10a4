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
