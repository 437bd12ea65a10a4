import { ApplicationFailure } from '@temporalio/common';
import { quotaOf } from '../../clients/elbv2.ts';
import type { AWSTargetGroupBindingSpec } from '../../crds/aws-target-group-binding.ts';
import { recordOf } from '../../domain/discovery/binding-record.ts';
import type { Problem } from '../../domain/discovery/sync-status.ts';
import { deregisterAll } from '../../domain/discovery/target-group-binding.ts';
import { findCandidate, isOwn, type Bound, type GroupDependencies } from './group.ts';
import type { BindingLedger, Entry } from './ledger.ts';
import { deregister, readRegistered } from './targets.ts';
import { toFailure } from '../failure.ts';
import type { Lifetime } from '../lifetime.ts';

/** What is left of what an object had registered, and why. */
export interface Left {
  readonly entry: Entry;
  readonly problems: readonly Problem[];
}

/** Whether the status of an object names another target group than its spec asks for. */
export function hasMoved(spec: AWSTargetGroupBindingSpec, { targetGroupARN, created }: Entry): boolean {
  if (targetGroupARN === undefined) return false;
  return spec.targetGroupARN === undefined ? created !== true : spec.targetGroupARN !== targetGroupARN;
}

/** Deregisters all that an object has registered; a target group that is gone has none of it. */
export async function leaveGroup(
  { elbv2, budget }: GroupDependencies,
  ledger: BindingLedger,
  life: Lifetime,
): Promise<Left> {
  const { targetGroupARN: arn, created, targets } = ledger.now();
  if (arn === undefined) return { entry: { targets: [] }, problems: [] };
  const [group] = await elbv2(arn).targetGroups([arn], life.signal);
  if (group === undefined) return { entry: { targets: [] }, problems: [] };
  const registered = await readRegistered(elbv2(arn), arn, life.signal);
  const written = await deregister(
    { elbv2: elbv2(arn), targetGroupARN: arn, budget, life },
    deregisterAll(targets, registered),
  );
  const remaining = [...written.refused, ...written.unknown];
  const left = recordOf({ claim: targets, targets: [] }, { refused: [], remaining });
  return {
    entry: left.length === 0 ? { targets: [] } : { targetGroupARN: arn, created, targets: left },
    problems: written.problems,
  };
}

/** Says which load balancer still sends traffic to the target group that was created for an object; its targets have to stay meanwhile. */
export async function whileInUse(
  { elbv2 }: GroupDependencies,
  { targetGroupARN: arn, created }: Entry,
  { signal }: Lifetime,
): Promise<readonly Problem[]> {
  if (arn === undefined || created !== true) return [];
  const [group] = await elbv2(arn).targetGroups([arn], signal);
  const [user] = group?.LoadBalancerArns ?? [];
  if (user === undefined) return [];
  const message = `Expected no load balancer to forward to target group ${arn}, which was created for this object, before its targets go, got ${user}. They stay meanwhile; take the target group out of the rules and listeners that name it.`;
  return [{ object: arn, reason: 'TargetGroupInUse', message }];
}

/** Deletes the target group that was created for an object; one that has become somebody else's stays. */
export async function deleteCreated(
  dependencies: GroupDependencies,
  bound: Omit<Bound, 'spec'>,
): Promise<readonly Problem[]> {
  const { elbv2, budget } = dependencies;
  const group = await findCandidate(dependencies, bound);
  const { TargetGroupArn: arn = '' } = group ?? {};
  if (group === undefined || !(await isOwn(elbv2(arn), group, bound))) return [];
  await budget.take(quotaOf(arn), bound.life.signal);
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
