import { digest } from '../../../clients/digest.ts';
import { AWS_TARGET_GROUP_BINDING } from '../../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import {
  awsTargetGroupBinding,
  type AWSTargetGroupBinding,
  type AWSTargetGroupBindingSpec,
} from '../../../crds/aws-target-group-binding.ts';
import { canonical } from '../../../domain/kubernetes/canonical.ts';
import type { Registration } from '../../../domain/discovery/target-group-binding/registered-target.ts';
import {
  sharedTargets,
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
  const others = found.map(({ metadata, spec, status: { targets = [], ...status } = {} }) => ({
    uid: metadata.uid ?? '',
    isDeleting: metadata.deletionTimestamp !== undefined,
    targetGroupARN: status.targetGroupARN,
    created: status.created,
    former: status.former,
    targets,
    // Of no use, and some work in a namespace with many, for one that has not moved.
    targetsHashNow: status.former === undefined ? undefined : hashNow(spec),
  }));
  return sharedTargets(others, { uid, ...group });
}

/** Tells by which targets of a spec something is registered. */
export const targetsHashOf = ({ targets }: Pick<AWSTargetGroupBindingSpec, 'targets'>): string =>
  digest(canonical(targets));

function hashNow(spec: unknown): string | undefined {
  const parsed = awsTargetGroupBinding.parseSpec(spec);
  return parsed.ok ? targetsHashOf(parsed.value) : undefined;
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
