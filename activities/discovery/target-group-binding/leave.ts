import { ApplicationFailure } from '@temporalio/common';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import { quotaOf } from '../../../clients/aws/elbv2.ts';
import type { AWSTargetGroupBindingSpec } from '../../../crds/aws-target-group-binding.ts';
import {
  withFormer,
  type Entry,
  type Place,
} from '../../../domain/discovery/target-group-binding/binding-move.ts';
import { recordOf } from '../../../domain/discovery/target-group-binding/binding-record.ts';
import type { RegisteredTarget } from '../../../domain/discovery/target-group-binding/registered-target.ts';
import type { Problem } from '../../../domain/discovery/sync-status.ts';
import { deregisterAll } from '../../../domain/discovery/target-group-binding/target-group-binding.ts';
import { attempt } from './attempt.ts';
import { findCandidate, isInUse, isOwn, type Bound, type GroupDependencies } from './group.ts';
import type { BindingLedger } from './ledger.ts';
import type { Searches } from './searches.ts';
import { readShared, withoutKept } from './shared.ts';
import { deregister, readTargets } from './targets.ts';
import { toFailure } from '../../failure.ts';
import type { Lifetime } from '../lifetime.ts';

/** What target groups are left with. */
export interface LeavingDependencies extends GroupDependencies {
  readonly kubernetes: Pick<KubernetesClient, 'list'>;
  readonly searches: Searches;
}

/** What is left of what an object had registered, and why. */
export interface Left {
  readonly targets: readonly RegisteredTarget[];
  readonly problems: readonly Problem[];
}

/** Whether the status of an object names another target group than its spec asks for. */
export function hasMoved(spec: AWSTargetGroupBindingSpec, { targetGroupARN, created }: Entry): boolean {
  if (targetGroupARN === undefined) return false;
  return spec.targetGroupARN === undefined ? created !== true : spec.targetGroupARN !== targetGroupARN;
}

/** Deregisters all that an object has registered in a target group, unless another one keeps it; a group that is gone has none of it. */
export async function leaveGroup(
  { kubernetes, elbv2, limits, searches }: LeavingDependencies,
  { targetGroupARN: arn, targets }: Place,
  bound: Omit<Bound, 'spec'>,
): Promise<Left> {
  const { key, life } = bound;
  const [group] = await elbv2(arn).targetGroups([arn], life.signal);
  if (group === undefined) return { targets: [], problems: [] };
  const { registered } = await readTargets(elbv2(arn), arn, life.signal);
  using search = searches.of(key.namespace);
  const written = await deregister(
    { elbv2: elbv2(arn), targetGroupARN: arn, limits, life, search },
    await withoutKept(deregisterAll(targets, registered), () =>
      readShared(kubernetes, bound, { targetGroupARN: arn, isInUse: isInUse(group), isLeft: true }),
    ),
  );
  const remaining = [...written.refused, ...written.unknown];
  return {
    targets: recordOf({ claim: targets, targets: [] }, { refused: [], remaining }),
    problems: written.problems,
  };
}

/** Empties the target groups that an object moves from; one that a load balancer forwards to keeps its targets, since that traffic would go nowhere. */
export async function leaveFormer(
  dependencies: LeavingDependencies,
  ledger: BindingLedger,
  bound: Omit<Bound, 'spec'>,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const place of ledger.now().former ?? []) {
    const { targetGroupARN } = place;
    const left = await attempt(
      bound.life.signal,
      async () => {
        const inUse = await inUseBy(dependencies, targetGroupARN, bound.life);
        if (inUse.length > 0) return { problems: inUse };
        const { targets, problems: unwritten } = await leaveGroup(dependencies, place, bound);
        await ledger.write(withFormer(ledger.now(), place, targets));
        return { problems: unwritten };
      },
      targetGroupARN,
    );
    problems.push(...left.problems);
  }
  return problems;
}

/** Says which load balancer still sends traffic to the target group that was created for an object; its targets have to stay meanwhile. */
export async function whileInUse(
  dependencies: GroupDependencies,
  { targetGroupARN: arn, created }: Pick<Entry, 'targetGroupARN' | 'created'>,
  life: Lifetime,
): Promise<readonly Problem[]> {
  return arn === undefined || created !== true ? [] : await inUseBy(dependencies, arn, life);
}

async function inUseBy(
  { elbv2 }: GroupDependencies,
  arn: string,
  { signal }: Lifetime,
): Promise<readonly Problem[]> {
  const [group] = await elbv2(arn).targetGroups([arn], signal);
  const [user] = group?.LoadBalancerArns ?? [];
  if (user === undefined) return [];
  const message = `Expected no load balancer to forward to target group ${arn} before its targets go, got ${user}. They stay meanwhile; take the target group out of the rules and listeners that name it.`;
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
  await limits.registrations.wait(quotaOf(arn), { urgent: false, signal: bound.life.signal });
  bound.life.assert();
  try {
    await elbv2(arn).deleteTargetGroup(arn);
    return [];
  } catch (error) {
    const cause = toFailure(error);
    if (!(cause instanceof ApplicationFailure) || cause.type !== 'TargetGroupInUse') throw cause;
    const message = `Expected to delete target group ${arn}, which was created for this object, got: ${cause.message} It is tried again; take it out of the rules and listeners that name it, or set spec.deletionPolicy to Retain.`;
    return [{ object: arn, reason: 'TargetGroupInUse', message }];
  }
}
