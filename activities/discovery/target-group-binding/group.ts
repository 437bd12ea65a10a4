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
import { formatKey } from '../../../domain/model/ids.ts';
import { vpcOfClusters, type FoundVPC } from '../../../domain/discovery/clusters/cluster-vpc.ts';
import {
  compareTargetGroup,
  isCreatedFor,
  targetGroupName,
  desiredTargetGroup,
  type TargetGroupOwner,
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
export interface Bound extends TargetGroupOwner {
  readonly spec: AWSTargetGroupBindingSpec;
  readonly status: AWSTargetGroupBindingStatus;
  readonly generation?: number | undefined;
  readonly life: Lifetime;
}

/** What target groups are created with: the clusters among it say in which VPC. */
interface Creation extends GroupDependencies {
  readonly reader: Pick<ClusterReader, 'find'>;
}

/** Finds the target group of a binding, and creates the one that is asked for when there is none. */
export async function findGroup(dependencies: Creation, bound: Bound): Promise<FoundGroup> {
  const { targetGroupARN, targetGroup = usualTargetGroup } = bound.spec;
  return targetGroupARN === undefined
    ? await created(dependencies, targetGroup, bound)
    : await named(dependencies, targetGroupARN, bound);
}

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

async function named(
  { elbv2 }: GroupDependencies,
  arn: string,
  { life: { signal } }: Bound,
): Promise<FoundGroup> {
  const [group] = await elbv2(arn).targetGroups([arn], signal);
  if (group !== undefined) return foundGroup(group, false, []);
  const message = `Target group ${arn} of spec.targetGroupARN not found in AWS. Correct the ARN, or create the target group.`;
  return { is: 'Problem', problem: { object: arn, reason: 'TargetGroupNotFound', message } };
}

async function created(dependencies: Creation, asked: NewTargetGroup, bound: Bound): Promise<FoundGroup> {
  const group = await findCandidate(dependencies, bound);
  if (group === undefined) return await create(dependencies, asked, bound);
  const { elbv2, limits } = dependencies;
  const { TargetGroupArn: arn = '' } = group;
  const isKnown = bound.status.created === true && bound.status.targetGroupARN === arn;
  if (!isKnown && !(await isOwn(elbv2(arn), group, bound))) return foreign(group, bound);
  const { problems, healthCheck } = compareTargetGroup(asked, existingOf(group));
  if (healthCheck === undefined) return foundGroup(group, true, problems);
  await limits.writes.wait(regionOf(arn), { urgent: false, signal: bound.life.signal });
  bound.life.assert();
  try {
    await elbv2(arn).modifyTargetGroup(arn, healthCheckInput(healthCheck));
    return foundGroup(group, true, problems);
  } catch (error) {
    return foundGroup(group, true, [...problems, unchanged(error)]);
  }
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
    return { is: 'Problem', problem: { object: 'spec.targetGroup', reason: 'RegionUnknown', message } };
  }
  const vpc = await vpcOf(asked, bound, reader);
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

/** The VPC that is asked for, else that of the clusters. */
async function vpcOf(
  { vpcID }: NewTargetGroup,
  { key, spec }: Bound,
  reader: Creation['reader'],
): Promise<FoundVPC> {
  if (vpcID !== undefined) return { is: 'VPC', vpcID };
  const clusters = (await reader.find(key.namespace)).map(({ cluster }) => cluster);
  return vpcOfClusters(spec.targets, clusters);
}

/** The targets are registered all the same. */
function unchanged(error: unknown): Problem {
  const cause = toFailure(error);
  const reason = reasonOf(cause);
  const message = `Cannot modify the health check of the target group: ${cause.message} Retrying; correct spec.targetGroup.healthCheck if this persists.`;
  return { object: 'spec.targetGroup.healthCheck', reason, message };
}

function foreign({ TargetGroupName: name = '' }: TargetGroup, { key }: Bound): FoundGroup {
  const message = `Target group ${name} already exists without the tags of AWSTargetGroupBinding ${formatKey(key)}. Delete it, or name it in spec.targetGroupARN.`;
  return { is: 'Problem', problem: { object: name, reason: 'ForeignTargetGroup', message } };
}

function foundGroup(group: TargetGroup, isCreated: boolean, problems: readonly Problem[]): FoundGroup {
  const { TargetGroupArn: arn = '', TargetType: targetType } = group;
  if (targetType === 'instance' || targetType === 'ip') {
    return { is: 'Group', arn, targetType, created: isCreated, problems };
  }
  const message = `The target group must be of type instance or ip, got ${targetType ?? 'none'}. Name another target group.`;
  return { is: 'Problem', problem: { object: arn, reason: 'UnsupportedTargetType', message } };
}
