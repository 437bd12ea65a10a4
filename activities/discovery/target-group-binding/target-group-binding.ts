import { AWS_TARGET_GROUP_BINDING } from '../../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import {
  awsTargetGroupBinding,
  type AWSTargetGroupBinding,
  type AWSTargetGroupBindingSpec,
} from '../../../crds/aws-target-group-binding.ts';
import type { ObjectKey } from '../../../domain/model/ids.ts';
import { BINDING_FINALIZER } from '../../../domain/kubernetes/labels.ts';
import { syncTargets, type Binding, retryInSeconds } from './fill.ts';
import { findGroup, type Bound, type GroupDependencies, findCandidate, isOwn } from './group.ts';
import {
  openLedger,
  type BindingLedger,
  createBindingReporter,
  type BindingOutcome,
  readShared,
  withoutKept,
} from './ledger.ts';
import { FAILED_AGAIN_SECONDS, type ClusterReader } from '../clusters/reader.ts';
import type { SyncActivities, Synced } from '../../contract.ts';
import { addFinalizer, removeFinalizer, type FinalizerOf } from '../../kubernetes/finalizers.ts';
import { startLifetime, type Lifetime } from '../lifetime.ts';
import { attempted, reasonOf, toFailure } from '../../failure.ts';
import { digest } from '../../../clients/digest.ts';
import { accessPolicies } from '../../../clients/kubernetes/access-policies.ts';
import { refusalOf, type Use } from '../../../domain/access/access.ts';
import { targetGroupName } from '../../../domain/discovery/target-group-binding/new-target-group.ts';
import type { Problem } from '../../../domain/discovery/sync-status.ts';
import { listBindings } from '../clusters/target-group-bindings.ts';
import { regionOf } from '../../../clients/aws/elbv2.ts';
import { recordOf, type Entry } from '../../../domain/discovery/target-group-binding/registered-target.ts';
import { deregisterAll } from '../../../domain/discovery/target-group-binding/target-group-binding.ts';
import { deregister, readTargets } from './targets.ts';

const gone: Synced = { isPresent: false, message: 'The AWSTargetGroupBinding is gone.' };

/** Makes the activities of AWSTargetGroupBindings. */
export function targetGroupBindingActivities(
  dependencies: Binding,
): Pick<SyncActivities, 'syncTargetGroupBinding'> {
  const { kubernetes } = dependencies;
  const report = createBindingReporter(kubernetes);

  async function sync(
    object: AWSTargetGroupBinding,
    { key, life }: Pick<Bound, 'key' | 'life'>,
  ): Promise<Synced> {
    const parsed = awsTargetGroupBinding.parseSpec(object.spec);
    const bound = boundOf(object, key, life);
    const ledger = openLedger(kubernetes, bound);
    const outcome = parsed.ok
      ? await attempt(life.signal, () => bind(dependencies, { ...bound, spec: parsed.value }, ledger))
      : { problems: parsed.problems.map((message) => ({ reason: 'InvalidObject', message })) };
    return await report(object, ledger, outcome);
  }

  async function end(object: AWSTargetGroupBinding, held: FinalizerOf, life: Lifetime): Promise<Synced> {
    if (object.metadata.finalizers?.includes(held.finalizer) !== true) return gone;
    // Whoever deletes the definition of all these objects has not asked to take targets out of service.
    if (!(await kubernetes.serves(held.kind))) {
      await removeFinalizer(kubernetes, held);
      return gone;
    }
    const parsed = awsTargetGroupBinding.parseSpec(object.spec);
    const spec = parsed.ok ? parsed.value : undefined;
    const bound = boundOf(object, held.key, life);
    const ledger = openLedger(kubernetes, bound);
    const outcome = await attempt(life.signal, () => undo(dependencies, { ...bound, spec }, ledger));
    if (outcome.problems.length > 0) return await report(object, ledger, outcome);
    await removeFinalizer(kubernetes, held);
    return gone;
  }

  return {
    async syncTargetGroupBinding(key) {
      const life = startLifetime();
      const held = { kind: AWS_TARGET_GROUP_BINDING, key, finalizer: BINDING_FINALIZER };
      const found = await kubernetes.get<AWSTargetGroupBinding>(AWS_TARGET_GROUP_BINDING, key);
      if (found === undefined) return gone;
      if (found.metadata.deletionTimestamp !== undefined) return await end(found, held, life);
      // What counts is the status that the object has from here on.
      const object = await addFinalizer<AWSTargetGroupBinding>(kubernetes, held);
      return object === undefined ? gone : await sync(object, { key, life });
    },
  };
}

function boundOf(
  { metadata, status = {} }: AWSTargetGroupBinding,
  key: ObjectKey,
  life: Lifetime,
): Omit<Bound, 'spec'> & { readonly resourceVersion: string } {
  const { uid = '', resourceVersion = '', generation } = metadata;
  return { key, uid, resourceVersion, generation, status, life };
}

async function bind(dependencies: Binding, bound: Bound, ledger: BindingLedger): Promise<BindingOutcome> {
  const before = ledger.now();
  const refused =
    (await refusedUse(dependencies.kubernetes, bound, dependencies.region)) ??
    (await refusedManaged(dependencies.reader, bound, before.targetGroupARN));
  if (refused !== undefined) return stoppedBy(refused);
  const group = await findGroup(dependencies, bound);
  if (group.is === 'Problem') return stoppedBy(group.problem);
  const { arn: targetGroupARN, created } = group;
  // A target group that was created again has none of the targets of the one before.
  const isSame = before.targetGroupARN === undefined || before.targetGroupARN === targetGroupARN;
  await ledger.write({ targetGroupARN, created, targets: isSame ? before.targets : [] });
  return await syncTargets(group, dependencies, { bound, ledger });
}

const stoppedBy = (problem: Problem): BindingOutcome => ({
  problems: [problem],
  againInSeconds: retryInSeconds([problem]),
});

// A Cell that lets a target group go needs some seconds.
const IN_USE_AGAIN_SECONDS = 3;

async function undo(
  dependencies: LeavingDependencies,
  bound: Omit<Bound, 'spec'> & { readonly spec: AWSTargetGroupBindingSpec | undefined },
  ledger: BindingLedger,
): Promise<BindingOutcome> {
  const { life } = bound;
  const inUse = await whileInUse(dependencies, ledger.now(), life);
  if (inUse.length > 0) return { problems: inUse, againInSeconds: IN_USE_AGAIN_SECONDS };
  const { targetGroupARN, created, targets } = ledger.now();
  if (targetGroupARN !== undefined) {
    const left = await leaveGroup(dependencies, { targetGroupARN, targets }, bound);
    // The target group is named until it is deleted.
    await ledger.write({ targetGroupARN, created, targets: left.targets });
    if (left.problems.length > 0) return { problems: left.problems, againInSeconds: FAILED_AGAIN_SECONDS };
  }
  if (bound.spec?.deletionPolicy !== 'Delete') return { problems: [] };
  return { problems: await deleteCreated(dependencies, bound), againInSeconds: FAILED_AGAIN_SECONDS };
}

/** Turns what is thrown into a problem, so that the status says it; nothing is undone because of it. */
async function attempt(signal: AbortSignal, act: () => Promise<BindingOutcome>): Promise<BindingOutcome> {
  const done = await attempted(signal, act);
  if (done.is === 'Answered') return done.value;
  const message = `cannot sync the targets: ${done.message} Retrying; registered targets are kept.`;
  return stoppedBy({ reason: done.reason, message });
}

/** Says what an object may not use of what it asks for; undefined when it may use it, and what is registered stays meanwhile. */
async function refusedUse(
  kubernetes: Pick<KubernetesClient, 'list'>,
  bound: Bound,
  region: string | undefined,
): Promise<Problem | undefined> {
  const { key, uid, spec, status, life } = bound;
  const arn = spec.targetGroupARN ?? (status.created === true ? status.targetGroupARN : undefined);
  // That none can be created is said elsewhere.
  if (arn === undefined && region === undefined) return undefined;
  const use: Use =
    arn === undefined
      ? { of: 'NewTargetGroup', region: region ?? '', name: targetGroupName(key, digest(uid)) }
      : { of: 'TargetGroup', arn };
  const refusal = refusalOf(await accessPolicies(kubernetes).of(key.namespace, life.signal), use);
  if (refusal === undefined) return undefined;
  const object = spec.targetGroupARN === undefined ? 'spec.targetGroup' : 'spec.targetGroupARN';
  return { object, reason: 'NotAllowed', message: `${refusal} Registered targets are kept in the meantime.` };
}

/** Says which TargetGroupBinding has its controller deregister the targets of others, if any. */
async function refusedManaged(
  reader: ClusterReader,
  { key, spec: { targetGroupARN: arn } }: Bound,
  registeredIn: string | undefined,
): Promise<Problem | undefined> {
  if (arn === undefined || arn === registeredIn) return undefined;
  const found = await Promise.all(
    (await reader.find(key.namespace)).map(async (remote) => {
      const said = await reader.read(remote, `TargetGroupBindings of ${arn}`, ({ client, namespaces }) =>
        listBindings(client, namespaces),
      );
      // One that has the target group for itself.
      const one = (said.ok ? said.value.flatMap((list) => list ?? []) : []).find(
        (binding) => binding.arn === arn && !binding.isDeleting && binding.isMultiCluster !== true,
      );
      return one && `TargetGroupBinding ${one.namespace}/${one.name} of cluster ${remote.cluster.name}`;
    }),
  );
  const manager = found.find((one) => one !== undefined);
  if (manager === undefined) return undefined;
  const message = `cannot register targets in ${arn}: ${manager} manages it, whose controller deregisters all targets but its own. Set spec.multiClusterTargetGroup to true there, or name another target group.`;
  return { object: 'spec.targetGroupARN', reason: 'TargetGroupManaged', message };
}

type LeavingDependencies = GroupDependencies & { readonly kubernetes: Pick<KubernetesClient, 'list'> };

/** Deregisters all that an object has registered in a target group, unless another one keeps it; a group that is gone has none of it. */
export async function leaveGroup(
  { kubernetes, elbv2, limits }: LeavingDependencies,
  { targetGroupARN: arn, targets }: { readonly targetGroupARN: string } & Pick<Entry, 'targets'>,
  bound: Omit<Bound, 'spec'>,
) {
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

async function whileInUse(
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
async function deleteCreated(
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
    if (reasonOf(cause) !== 'TargetGroupInUse') throw cause;
    const message = `Cannot delete target group ${arn}, which was created for this object: ${cause.message} Retrying; remove it from the rules and listeners that name it, or set spec.deletionPolicy to Retain.`;
    return [{ object: arn, reason: 'TargetGroupInUse', message }];
  }
}
