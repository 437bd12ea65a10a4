import type { TargetGroup } from '@aws-sdk/client-elastic-load-balancing-v2';
import { digest } from '../../../clients/digest.ts';
import {
  regionOf,
  type ELBv2,
  type ELBv2Regions,
  type HealthCheckInput,
} from '../../../clients/aws/elbv2.ts';
import type { RateLimiters } from '../../../clients/rate-limiter.ts';
import {
  type AWSTargetGroupBindingSpec,
  type AWSTargetGroupBindingStatus,
  usualTargetGroup,
  type NewTargetGroup,
} from '../../../crds/aws-target-group-binding.ts';
import { formatKey, type ObjectRef } from '../../../domain/model/ids.ts';
import { vpcOfClusters, type FoundVPC } from '../../../domain/discovery/clusters/cluster-vpc.ts';
import {
  compareTargetGroup,
  isCreatedFor,
  targetGroupName,
  desiredTargetGroup,
  type ExistingTargetGroup,
  type HealthCheck,
} from '../../../domain/discovery/target-group-binding/new-target-group.ts';
import type { Problem } from '../../../domain/discovery/sync-status.ts';
import type { TargetType } from '../../../domain/discovery/target-group-binding/binding-ids.ts';
import type { ClusterReader } from '../clusters/reader.ts';
import { reasonOf, toFailure } from '../../failure.ts';
import type { Lifetime } from '../lifetime.ts';

const existingOf = (group: TargetGroup): ExistingTargetGroup => ({
  protocol: group.Protocol,
  port: group.Port,
  vpcID: group.VpcId,
  targetType: group.TargetType,
  healthCheck: {
    protocol: group.HealthCheckProtocol,
    path: group.HealthCheckPath,
    port: group.HealthCheckPort,
    intervalSeconds: group.HealthCheckIntervalSeconds,
    timeoutSeconds: group.HealthCheckTimeoutSeconds,
    healthyThreshold: group.HealthyThresholdCount,
    unhealthyThreshold: group.UnhealthyThresholdCount,
    matcher: group.Matcher?.HttpCode,
  },
});

const healthCheckInput = (check: HealthCheck): HealthCheckInput => ({
  HealthCheckProtocol: check.protocol,
  HealthCheckPath: check.path,
  HealthCheckPort: check.port,
  HealthCheckIntervalSeconds: check.intervalSeconds,
  HealthCheckTimeoutSeconds: check.timeoutSeconds,
  HealthyThresholdCount: check.healthyThreshold,
  UnhealthyThresholdCount: check.unhealthyThreshold,
  ...(check.matcher === undefined ? {} : { Matcher: { HttpCode: check.matcher } }),
});

/** What target groups are read and written with. */
export interface GroupDependencies {
  readonly elbv2: ELBv2Regions;
  readonly region?: string;
  readonly limits: Pick<RateLimiters, 'writes' | 'registrations'>;
}

/** The target group of a binding, or what is wrong with it. */
export type FoundGroup =
  | {
      readonly is: 'Group';
      readonly arn: string;
      readonly targetType: TargetType;
      readonly created: boolean;
      readonly problems: readonly Problem[];
    }
  | { readonly is: 'Problem'; readonly problem: Problem };

/** A binding as far as its target group goes. */
export interface Bound extends ObjectRef {
  readonly spec: AWSTargetGroupBindingSpec;
  readonly status: AWSTargetGroupBindingStatus;
  readonly generation?: number | undefined;
  readonly life: Lifetime;
}

interface Creation extends GroupDependencies {
  readonly reader: Pick<ClusterReader, 'find'>;
}

/** Finds the target group of a binding, and creates the one that is asked for when there is none. */
export async function findGroup(dependencies: Creation, bound: Bound): Promise<FoundGroup> {
  const { elbv2, limits } = dependencies;
  const { spec, status, life } = bound;
  const { targetGroupARN: named, targetGroup: asked = usualTargetGroup } = spec;
  if (named !== undefined) {
    const [there] = await elbv2(named).targetGroups([named], life.signal);
    if (there !== undefined) return foundGroup(there, false, []);
    const message = `Target group ${named} of spec.targetGroupARN not found in AWS. Correct the ARN, or create the target group.`;
    return problem('TargetGroupNotFound', named, message);
  }
  const group = await findCandidate(dependencies, bound);
  if (group === undefined) return await create(dependencies, asked, bound);
  const { TargetGroupArn: arn = '', TargetGroupName: name = '' } = group;
  const isKnown = status.created === true && status.targetGroupARN === arn;
  if (!isKnown && !(await isOwn(elbv2(arn), group, bound))) {
    const message = `Target group ${name} already exists without the tags of AWSTargetGroupBinding ${formatKey(bound.key)}. Delete it, or name it in spec.targetGroupARN.`;
    return problem('ForeignTargetGroup', name, message);
  }
  const { problems, healthCheck } = compareTargetGroup(asked, existingOf(group));
  if (healthCheck === undefined) return foundGroup(group, true, problems);
  await limits.writes.wait(regionOf(arn), { urgent: false, signal: life.signal });
  life.assert();
  try {
    await elbv2(arn).modifyTargetGroup(arn, healthCheckInput(healthCheck));
    return foundGroup(group, true, problems);
  } catch (error) {
    // The targets are registered all the same.
    const cause = toFailure(error);
    const message = `Cannot modify the health check of the target group: ${cause.message} Retrying; correct spec.targetGroup.healthCheck if this persists.`;
    const unchanged = { object: 'spec.targetGroup.healthCheck', reason: reasonOf(cause), message };
    return foundGroup(group, true, [...problems, unchanged]);
  }
}

const problem = (reason: string, object: string, message: string): FoundGroup => ({
  is: 'Problem',
  problem: { object, reason, message },
});

/** Finds what may be the target group that was created for an object: what its status names, or what has its name. */
export async function findCandidate(
  { elbv2, region }: GroupDependencies,
  { key, uid, status, life: { signal } }: Omit<Bound, 'spec'>,
): Promise<TargetGroup | undefined> {
  const { created: isCreated, targetGroupARN: arn } = status;
  if (isCreated === true && arn !== undefined) {
    const [known] = await elbv2(arn).targetGroups([arn], signal);
    if (known !== undefined) return known;
  }
  if (region === undefined) return undefined;
  return await elbv2.inRegion(region).targetGroupNamed(targetGroupName(key, digest(uid)), signal);
}

/** Whether a target group has the tags of an object, that is, was created for it and not given to someone else. */
export async function isOwn(
  elbv2: ELBv2,
  { TargetGroupArn = '' }: TargetGroup,
  { key, uid, life: { signal } }: Omit<Bound, 'spec'>,
): Promise<boolean> {
  return isCreatedFor({ key, uid }, await elbv2.tagsOf(TargetGroupArn, signal));
}

async function create(
  { elbv2, region, limits, reader }: Creation,
  asked: NewTargetGroup,
  bound: Bound,
): Promise<FoundGroup> {
  const { key, uid, spec, life } = bound;
  if (region === undefined) {
    const message =
      'No region to create the target group in. Set AWS_REGION, or name a target group in spec.targetGroupARN.';
    return problem('RegionUnknown', 'spec.targetGroup', message);
  }
  const vpc: FoundVPC =
    asked.vpcID === undefined
      ? vpcOfClusters(
          spec.targets,
          (await reader.find(key.namespace)).map(({ cluster }) => cluster),
        )
      : { is: 'VPC', vpcID: asked.vpcID };
  if (vpc.is === 'Problem') return vpc;
  const wanted = desiredTargetGroup(asked, spec.targets, { key, uid, digestOfUid: digest(uid) });
  const writes = elbv2.inRegion(region);
  await limits.registrations.wait(region, { urgent: false, signal: life.signal });
  life.assert();
  const group = await writes.createTargetGroup({
    Name: wanted.name,
    Protocol: asked.protocol,
    Port: wanted.port,
    VpcId: vpc.vpcID,
    TargetType: asked.targetType,
    ...healthCheckInput(wanted.healthCheck),
    tags: wanted.tags,
  });
  return foundGroup(group, true, []);
}

function foundGroup(group: TargetGroup, isCreated: boolean, problems: readonly Problem[]): FoundGroup {
  const { TargetGroupArn: arn = '', TargetType: targetType } = group;
  if (targetType === 'instance' || targetType === 'ip') {
    return { is: 'Group', arn, targetType, created: isCreated, problems };
  }
  const message = `The target group must be of type instance or ip, got ${targetType ?? 'none'}. Name another target group.`;
  return problem('UnsupportedTargetType', arn, message);
}
