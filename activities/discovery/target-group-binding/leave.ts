import { ApplicationFailure } from '@temporalio/common';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import { regionOf } from '../../../clients/aws/elbv2.ts';
import {
  recordOf,
  type Entry,
  type RegisteredTarget,
} from '../../../domain/discovery/target-group-binding/registered-target.ts';
import type { Problem } from '../../../domain/discovery/sync-status.ts';
import { deregisterAll } from '../../../domain/discovery/target-group-binding/target-group-binding.ts';
import { findCandidate, isOwn, type Bound, type GroupDependencies } from './group.ts';
import { readShared, withoutKept } from './ledger.ts';
import { deregister, readTargets } from './targets.ts';
import { toFailure } from '../../failure.ts';
import type { Lifetime } from '../lifetime.ts';

/** What target groups are left with. */
export interface LeavingDependencies extends GroupDependencies {
  readonly kubernetes: Pick<KubernetesClient, 'list'>;
}

/** What is left of what an object had registered, and why. */
export interface Left {
  readonly targets: readonly RegisteredTarget[];
  readonly problems: readonly Problem[];
}

/** Deregisters all that an object has registered in a target group, unless another one keeps it; a group that is gone has none of it. */
export async function leaveGroup(
  { kubernetes, elbv2, limits }: LeavingDependencies,
  { targetGroupARN: arn, targets }: { readonly targetGroupARN: string } & Pick<Entry, 'targets'>,
  bound: Omit<Bound, 'spec'>,
): Promise<Left> {
  const { life } = bound;
  const [group] = await elbv2(arn).targetGroups([arn], life.signal);
  if (group === undefined) return { targets: [], problems: [] };
  const { registered } = await readTargets(elbv2(arn), arn, life.signal);
  const written = await deregister(
    { elbv2: elbv2(arn), targetGroupARN: arn, limits, life },
    await withoutKept(deregisterAll(targets, registered), () =>
      readShared(kubernetes, bound, {
        targetGroupARN: arn,
        isLeftInUse: (group.LoadBalancerArns ?? []).length > 0,
      }),
    ),
  );
  const remaining = [...written.refused, ...written.unknown];
  return {
    targets: recordOf({ claim: targets, targets: [] }, { refused: [], remaining }),
    problems: written.problems,
  };
}

/** Says which load balancer still sends traffic to the target group that was created for an object; its targets have to stay meanwhile. */
export async function whileInUse(
  { elbv2 }: GroupDependencies,
  { targetGroupARN: arn, created }: Pick<Entry, 'targetGroupARN' | 'created'>,
  life: Lifetime,
): Promise<readonly Problem[]> {
  if (arn === undefined || created !== true) return [];
  const [group] = await elbv2(arn).targetGroups([arn], life.signal);
  const [user] = group?.LoadBalancerArns ?? [];
  if (user === undefined) return [];
  const message = `Cannot deregister the targets of target group ${arn}: load balancer ${user} still forwards to it. The targets stay registered; remove the target group from the rules and listeners that name it.`;
  return [{ object: arn, reason: 'TargetGroupInUse', message }];
}

/** Deletes the target group that was created for an object; one that has become someone else's stays. */
export async function deleteCreated(
  dependencies: GroupDependencies,
  bound: Omit<Bound, 'spec'>,
): Promise<readonly Problem[]> {
  const { elbv2, limits } = dependencies;
  const group = await findCandidate(dependencies, bound);
  const { TargetGroupArn: arn = '' } = group ?? {};
  if (group === undefined || !(await isOwn(elbv2(arn), group, bound))) return [];
  await limits.registrations.wait(regionOf(arn), { urgent: false, signal: bound.life.signal });
  bound.life.assert();
  try {
    await elbv2(arn).deleteTargetGroup(arn);
    return [];
  } catch (error) {
    const cause = toFailure(error);
    if (!(cause instanceof ApplicationFailure) || cause.type !== 'TargetGroupInUse') throw cause;
    const message = `Cannot delete target group ${arn}, which was created for this object: ${cause.message} Retrying; remove it from the rules and listeners that name it, or set spec.deletionPolicy to Retain.`;
    return [{ object: arn, reason: 'TargetGroupInUse', message }];
  }
}
