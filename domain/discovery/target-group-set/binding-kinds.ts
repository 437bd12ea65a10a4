import type { BindingAPI, RemoteBinding } from './target-group-of-binding.ts';
import type { ClusterReading } from './observed-target-group-set.ts';

/** The kinds of TargetGroupBinding, in the order in which each namespace of a cluster is asked for them. */
export const BINDING_APIS: readonly BindingAPI[] = ['elbv2.k8s.aws', 'eks.amazonaws.com'];

/** What lists of TargetGroupBindings say, a list of each kind for each namespace that was asked; undefined where a cluster has not got the kind. */
export function foundBindings(
  lists: readonly (readonly RemoteBinding[] | undefined)[],
): Extract<ClusterReading['found'], { readonly ok: true }> {
  // A kind that one namespace has and another has not is coming or going.
  const absent = BINDING_APIS.filter((_, kind) =>
    lists.some((list, index) => list === undefined && index % BINDING_APIS.length === kind),
  );
  return { ok: true, bindings: withoutTwins(lists.flatMap((list) => list ?? [])), absent };
}

/**
 * Leaves out what says the same under both kinds, as when a cluster changes from one controller to the other: it is one
 * binding, and that of the AWS Load Balancer Controller as long as that is there.
 */
function withoutTwins(bindings: readonly RemoteBinding[]): readonly RemoteBinding[] {
  const seen = new Set<string>();
  return bindings.filter(({ isDeleting, namespace, name, arn }) => {
    const said = JSON.stringify([namespace, name, arn]);
    const isTwin = !isDeleting && seen.has(said);
    if (!isDeleting) seen.add(said);
    return !isTwin;
  });
}
