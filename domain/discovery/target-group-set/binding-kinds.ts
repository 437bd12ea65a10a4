import type { KnownCluster } from '../clusters/known-cluster.ts';
import type { RemoteBinding } from './target-group-of-binding.ts';
import type { ClusterReading, ExistingGroup } from './observed-target-group-set.ts';
import { SOURCE_ANNOTATION } from '../../kubernetes/labels.ts';

/** What lists of TargetGroupBindings say, those of the AWS Load Balancer Controller first; undefined where a cluster has not got the kind. */
export function foundBindings(
  lists: readonly (readonly RemoteBinding[] | undefined)[],
): Extract<ClusterReading['found'], { readonly ok: true }> {
  const isInstalled = lists.some((list) => list !== undefined);
  return { ok: true, bindings: withoutTwins(lists.flatMap((list) => list ?? [])), isInstalled };
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

/**
 * Says what a reading is worth to a set with these groups. A cluster without any kind of TargetGroupBinding is fine when
 * it never had one; what is known of one that did may be all that there is.
 */
export function inViewOf(reading: ClusterReading, own: readonly ExistingGroup[]): ClusterReading {
  const { cluster, found } = reading;
  if (!found.ok || found.isInstalled !== false || !own.some((group) => isBoundIn(cluster, group)))
    return reading;
  const message = `Expected cluster ${cluster.name} to have the kind TargetGroupBinding, as it had, got neither that of the AWS Load Balancer Controller (elbv2.k8s.aws/v1beta1) nor that of EKS Auto Mode (eks.amazonaws.com/v1). Install one; what the cluster had before stays until its AWSTargetGroups are deleted.`;
  return { cluster, found: { ok: false, reason: 'KindNotInstalled', message } };
}

/** Whether a group was made of a TargetGroupBinding of a cluster, and not of the template. */
function isBoundIn({ secret }: KnownCluster, { name, annotations }: ExistingGroup): boolean {
  const [of, namespace, source] = (annotations[SOURCE_ANNOTATION] ?? '').split('/');
  return of === secret && !(namespace === 'rendered' && source === name);
}
