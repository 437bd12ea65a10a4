import type { AWSApplicationLoadBalancerTargetDeploymentStatus } from '../crds/aws-application-load-balancer-target-deployment.ts';
import { weightsText, type Served } from './load-balancer.ts';
import { parseVersion } from './version.ts';

/** Derives what a listener rule routes to from what it serves and from the versions of target groups, by ARN. */
export function targetDeploymentStatus(
  served: Served<'AWSApplicationLoadBalancer'>,
  versions: ReadonlyMap<string, string>,
): AWSApplicationLoadBalancerTargetDeploymentStatus {
  const totals = new Map<string, number>();
  const targetGroups = served.targetGroups.map((group) => {
    const claimed = versions.get(group.arn);
    if (claimed === undefined) return { ...group };
    const version = parseVersion(claimed) ?? claimed;
    totals.set(version, (totals.get(version) ?? 0) + group.weight);
    return { ...group, version };
  });
  const [heaviest] = [...totals].toSorted(([, a], [, b]) => b - a);
  return {
    listenerARN: served.listenerARN,
    ...(served.ruleARN === undefined ? {} : { ruleARN: served.ruleARN }),
    priority: served.rule.priority,
    ...(heaviest === undefined || heaviest[1] === 0 ? {} : { version: heaviest[0] }),
    weights: weightsText(served.targetGroups),
    targetGroups,
  };
}
