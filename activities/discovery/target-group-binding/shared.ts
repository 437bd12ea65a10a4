import { AWS_TARGET_GROUP_BINDING } from '../../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import type { AWSTargetGroupBinding } from '../../../crds/aws-target-group-binding.ts';
import type { Registration } from '../../../domain/discovery/target-group-binding/registered-target.ts';
import {
  findSharedTargets,
  type SharedGroup,
  type SharedTargets,
} from '../../../domain/discovery/target-group-binding/shared-targets.ts';
import type { Bound } from './group.ts';

/** Reads what the other AWSTargetGroupBindings of a namespace have registered in a target group. */
export async function readShared(
  kubernetes: Pick<KubernetesClient, 'list'>,
  { key: { namespace }, uid, life: { signal } }: Pick<Bound, 'key' | 'uid' | 'life'>,
  group: Omit<SharedGroup, 'uid'>,
): Promise<SharedTargets> {
  const found = await kubernetes.list<AWSTargetGroupBinding>(AWS_TARGET_GROUP_BINDING, { namespace, signal });
  const others = found.map(({ metadata, status: { targets = [], ...status } = {} }) => ({
    uid: metadata.uid ?? '',
    isDeleting: metadata.deletionTimestamp !== undefined,
    targetGroupARN: status.targetGroupARN,
    created: status.created,
    targets,
  }));
  return findSharedTargets(others, { uid, ...group });
}

/** Leaves out of what is to be deregistered what another object keeps; its record says already that this one lets it go. */
export async function withoutKept(
  batches: readonly (readonly Registration[])[],
  read: () => Promise<SharedTargets>,
): Promise<readonly (readonly Registration[])[]> {
  if (batches.length === 0) return [];
  const { isKept } = await read();
  return batches.map((batch) => batch.filter((one) => !isKept(one))).filter((batch) => batch.length > 0);
}
