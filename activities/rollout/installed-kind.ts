import { AWS_TARGET_GROUP } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { TargetGroup } from '../../domain/model/target-group.ts';
import { failure } from '../failure.ts';

/**
 * Throws `Unavailable` when a target group of a rule has no AWSTargetGroup because the definition of that kind is being
 * deleted. Its objects then go one after another, and a list shows those that are left: nobody has asked to take the
 * others out of the rule (Kubernetes, finalizer `customresourcecleanup.apiextensions.k8s.io`).
 */
export async function refuseWhileUninstalled(
  kubernetes: Pick<KubernetesClient, 'serves'>,
  inRule: readonly Pick<TargetGroup, 'arn'>[],
  groups: readonly AWSTargetGroup[],
): Promise<void> {
  const there = new Set(groups.map(({ spec }) => spec.arn));
  if (inRule.every(({ arn }) => there.has(arn)) || (await kubernetes.serves(AWS_TARGET_GROUP))) return;
  throw failure(
    'Unavailable',
    'Expected the definition of AWSTargetGroups to stay, as target groups of the rule have none any more, got one that is being deleted. The weights stay as they are. Install the definition again, and the AWSTargetGroups.',
  );
}
