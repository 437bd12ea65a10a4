/** The resource versions of the lists that a look at a Cell was made of; undefined where a kind is not installed. */
export interface ListVersions {
  readonly targetGroups?: string | undefined;
  readonly freezes?: string | undefined;
  readonly accessPolicies?: string | undefined;
}

/**
 * Whether lists are at least as new as others. Resource versions of a kind are compared as numbers (Kubernetes API concepts,
 * "Resource versions"); those that are none are new enough only when they are the same.
 */
export function areAsNewAs(lists: ListVersions, others: ListVersions): boolean {
  return (
    isAsNewAs(lists.targetGroups, others.targetGroups) &&
    isAsNewAs(lists.freezes, others.freezes) &&
    isAsNewAs(lists.accessPolicies, others.accessPolicies)
  );
}

const NUMBER = /^\d{1,20}$/;

function isAsNewAs(version: string | undefined, other: string | undefined): boolean {
  if (version === other) return true;
  if (version === undefined || other === undefined || !NUMBER.test(version) || !NUMBER.test(other))
    return false;
  return BigInt(version) >= BigInt(other);
}
