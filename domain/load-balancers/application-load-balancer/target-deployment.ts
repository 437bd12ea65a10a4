import type { AWSApplicationLoadBalancerTargetDeploymentStatus } from '../../../crds/aws-application-load-balancer-target-deployment.ts';
import { weightsText, type ObservedForwarding } from '../load-balancer.ts';
import { byName, groupByVersion, parseVersion } from '../../versions/version.ts';
import { versionOf, type SelectingSpec } from '../../versions/version-label.ts';
import { namedARN } from '../../model/target-group.ts';
import { selectTargetGroups, type WatchedGroup } from '../../versions/watched.ts';

/** Derives what a listener rule routes to from what it serves and from the versions of target groups, by ARN. */
export function targetDeploymentStatus(
  served: ObservedForwarding<'AWSApplicationLoadBalancer'>,
  versions: ReadonlyMap<string, string>,
): AWSApplicationLoadBalancerTargetDeploymentStatus {
  const totals = new Map<string, number>();
  const { rule } = served.listener;
  const targetGroups = rule.forward.targetGroups.map((group) => {
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
    priority: rule.priority,
    ...(heaviest === undefined || heaviest[1] === 0 ? {} : { version: heaviest[0] }),
    weights: weightsText(targetGroups),
    targetGroups,
  };
}

/** The versions of target groups, by ARN: as a Cell counts those that it selects, and as they are claimed of the others. */
export function versionsByARN(
  spec: SelectingSpec,
  groups: readonly WatchedGroup[],
): ReadonlyMap<string, string> {
  const claimed = groups
    .toSorted((a, b) => byName(b.metadata, a.metadata))
    .map((group) => [namedARN(group), versionOf(spec, group)] as const);
  const counted = groupByVersion(selectTargetGroups(spec, groups)).sets.flatMap((set) =>
    set.groups.map(({ arn }) => [arn, set.version] as const),
  );
  return new Map(
    [...claimed, ...counted].flatMap(([arn, version]) =>
      arn === undefined || version === undefined ? [] : [[arn, version]],
    ),
  );
}
