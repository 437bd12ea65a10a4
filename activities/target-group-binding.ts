import { AWS_TARGET_GROUP_BINDING } from '../clients/kinds.ts';
import type { KubernetesClient } from '../clients/kubernetes.ts';
import {
  awsTargetGroupBinding,
  type AWSTargetGroupBinding,
  type AWSTargetGroupBindingSpec,
} from '../crds/aws-target-group-binding.ts';
import { heldBack, recordOf } from '../domain/discovery/binding-record.ts';
import { isFailureType, isPermanent } from '../domain/failures.ts';
import { syncId, type ObjectKey } from '../domain/ids.ts';
import { BINDING_FINALIZER } from '../domain/labels.ts';
import { bindingLosesCluster } from '../domain/discovery/lost-clusters.ts';
import type { Registration } from '../domain/discovery/registered-target.ts';
import type { Problem } from '../domain/discovery/sync-status.ts';
import { decideBinding } from '../domain/discovery/target-group-binding.ts';
import { refusedUse } from './bindings/allowed.ts';
import { readClusters } from './bindings/clusters.ts';
import { groupFinder, type Bound, type FoundGroup, type GroupDependencies } from './bindings/group.ts';
import { deleteCreated, hasMoved, leaveGroup, whileInUse } from './bindings/leave.ts';
import { bindingLedger, type BindingLedger } from './bindings/ledger.ts';
import { bindingReporter, type BindingOutcome } from './bindings/report.ts';
import { deregister, readRegistered, register } from './bindings/targets.ts';
import { FAILED_AGAIN_SECONDS, type ClusterReader, type ClusterReads } from './clusters/reader.ts';
import type { Synced, TargetGroupBindingActivities } from './contract.ts';
import { reasonOf, toFailure } from './failure.ts';
import { holdAndRead, letGo, type Held } from './finalizers.ts';
import { isFirstAttempt, lifetime, type Lifetime } from './lifetime.ts';
import { lookTwice } from './look-twice.ts';

/** What the activities of AWSTargetGroupBindings are made of. */
export interface BindingDependencies extends GroupDependencies {
  readonly kubernetes: KubernetesClient;
  readonly reader: ClusterReader;
}

const gone: Synced = { isPresent: false, message: 'The AWSTargetGroupBinding is gone.' };

/** Makes the activities of AWSTargetGroupBindings. */
export function targetGroupBindingActivities(
  dependencies: BindingDependencies,
): TargetGroupBindingActivities {
  const { kubernetes, reader } = dependencies;
  const report = bindingReporter(kubernetes);

  /** Syncs an object that is there. */
  async function sync(
    object: AWSTargetGroupBinding,
    { key, life, reads }: Pick<Bound, 'key' | 'life'> & { readonly reads: ClusterReads },
  ): Promise<Synced> {
    const parsed = awsTargetGroupBinding.parseSpec(object.spec);
    const bound = boundOf(object, key, life);
    const ledger = bindingLedger(kubernetes, bound);
    const outcome = parsed.ok
      ? await attempt(life.signal, () =>
          bind({ ...dependencies, reads }, { ...bound, spec: parsed.value }, ledger),
        )
      : { problems: parsed.problems.map((message) => ({ reason: 'InvalidObject', message })) };
    return { ...(await report(object, ledger, outcome)), by: reader.by };
  }

  /** Undoes what an object has done, and lets it go. */
  async function end(object: AWSTargetGroupBinding, held: Held, life: Lifetime): Promise<Synced> {
    if (object.metadata.finalizers?.includes(held.finalizer) !== true) return gone;
    const parsed = awsTargetGroupBinding.parseSpec(object.spec);
    const spec = parsed.ok ? parsed.value : undefined;
    const bound = boundOf(object, held.key, life);
    const ledger = bindingLedger(kubernetes, bound);
    const outcome = await attempt(life.signal, () => undo(dependencies, { ...bound, spec }, ledger));
    if (outcome.problems.length > 0) return await report(object, ledger, outcome);
    await letGo(kubernetes, held);
    return gone;
  }

  return {
    async syncTargetGroupBinding(key, last) {
      const life = lifetime();
      const reads = reader.begin(syncId('targetGroupBinding', key), isFirstAttempt() ? last : undefined);
      const held = { kind: AWS_TARGET_GROUP_BINDING, key, finalizer: BINDING_FINALIZER };
      const found = await kubernetes.get<AWSTargetGroupBinding>(AWS_TARGET_GROUP_BINDING, key);
      if (found === undefined) return gone;
      if (found.metadata.deletionTimestamp !== undefined) return await end(found, held, life);
      // What counts is the status that the object has from here on.
      const object = await holdAndRead<AWSTargetGroupBinding>(kubernetes, held);
      return object === undefined ? gone : await sync(object, { key, life, reads });
    },
  };
}

function boundOf(
  { metadata, status = {} }: AWSTargetGroupBinding,
  key: ObjectKey,
  life: Lifetime,
): Omit<Bound, 'spec'> & { readonly resourceVersion: string } {
  const { uid = '', resourceVersion = '' } = metadata;
  return { key, uid, resourceVersion, status, life };
}

/** What a binding is bound with. */
type Binding = GroupDependencies & { readonly kubernetes: KubernetesClient; readonly reads: ClusterReads };

/** Makes the registrations of an object what they are to be. */
async function bind(dependencies: Binding, bound: Bound, ledger: BindingLedger): Promise<BindingOutcome> {
  const { spec, life } = bound;
  const refused = await refusedUse(dependencies.kubernetes, bound, dependencies.region);
  if (refused !== undefined) return { problems: [refused] };
  if (hasMoved(spec, ledger.now())) {
    const { entry, problems } = await leaveGroup(dependencies, ledger, life);
    await ledger.write(entry);
    if (problems.length > 0) return { problems, againInSeconds: soonest(problems) };
  }
  const group = await groupFinder(dependencies)(bound);
  if (group.is === 'Problem') return { problems: [group.problem] };
  const { arn: targetGroupARN, created } = group;
  await ledger.write({ targetGroupARN, created, targets: ledger.now().targets });
  return await registerIn(group, dependencies, { bound, ledger });
}

async function registerIn(
  { arn: targetGroupARN, created, targetType, problems }: FoundGroup & { readonly is: 'Group' },
  { elbv2, budget, reads }: Binding,
  { bound, ledger }: { readonly bound: Bound; readonly ledger: BindingLedger },
): Promise<BindingOutcome> {
  const { key, spec, life } = bound;
  const { clusters, againInSeconds } = await lookTwice(
    () => readClusters(reads, spec, key),
    life,
    (seen) => bindingLosesCluster(ledger.now().targets, seen.clusters),
  );
  const { namespace } = key;
  const client = elbv2(targetGroupARN);
  const writes = { elbv2: client, targetGroupARN, budget, life };
  const registered = await readRegistered(client, targetGroupARN, life.signal);
  const ours = ledger.now().targets;
  const { targets } = spec;
  const decision = decideBinding({ namespace, targets, targetType, clusters, registered, ours });
  await ledger.write({ targetGroupARN, created, targets: decision.claim });
  const added = await register(writes, decision.register);
  const failedToCome = [...added.refused, ...added.unknown];
  const held = heldBack(decision, {
    failed: failedToCome,
    reasons: added.problems.map(({ reason }) => reason),
  });
  const removed = await deregister(writes, withoutHeld(decision.deregister, held));
  const remaining = [...held, ...removed.refused, ...removed.unknown];
  const settled = recordOf(decision, { refused: added.refused, remaining });
  await ledger.write({ targetGroupARN, created, targets: settled });
  const failed = [...added.problems, ...removed.problems];
  return {
    problems: [...problems, ...decision.problems, ...failed],
    againInSeconds: earlier(againInSeconds, soonest(failed)),
  };
}

const withoutHeld = (
  batches: readonly (readonly Registration[])[],
  held: readonly Registration[],
): readonly (readonly Registration[])[] =>
  batches.map((batch) => batch.filter((one) => !held.includes(one))).filter((batch) => batch.length > 0);

// A Cell that lets a target group go needs some seconds.
const IN_USE_AGAIN_SECONDS = 3;

/** Deregisters what an object has registered, and deletes what was created for it if that is asked for. */
async function undo(
  dependencies: BindingDependencies,
  bound: Omit<Bound, 'spec'> & { readonly spec: AWSTargetGroupBindingSpec | undefined },
  ledger: BindingLedger,
): Promise<BindingOutcome> {
  const inUse = await whileInUse(dependencies, ledger.now(), bound.life);
  if (inUse.length > 0) return { problems: inUse, againInSeconds: IN_USE_AGAIN_SECONDS };
  const { entry, problems } = await leaveGroup(dependencies, ledger, bound.life);
  const { targetGroupARN, created } = ledger.now();
  // The target group is named until it is deleted.
  await ledger.write({ targetGroupARN, created, targets: entry.targets });
  if (problems.length > 0) return { problems, againInSeconds: FAILED_AGAIN_SECONDS };
  if (bound.spec?.deletionPolicy !== 'Delete') return { problems };
  return { problems: await deleteCreated(dependencies, bound), againInSeconds: FAILED_AGAIN_SECONDS };
}

/** Makes a problem of what is thrown, so that the status says it; nothing is undone because of it. */
async function attempt(signal: AbortSignal, act: () => Promise<BindingOutcome>): Promise<BindingOutcome> {
  try {
    return await act();
  } catch (error) {
    signal.throwIfAborted();
    const cause = toFailure(error);
    const reason = reasonOf(cause);
    const message = `Expected to sync the targets, got: ${cause.message} It is tried again; what is registered stays.`;
    return { problems: [{ reason, message }], againInSeconds: soonest([{ reason, message }]) };
  }
}

/** Soon, when trying again can help by itself. */
const soonest = (problems: readonly Problem[]): number | undefined =>
  problems.some(({ reason }) => isFailureType(reason) && !isPermanent(reason))
    ? FAILED_AGAIN_SECONDS
    : undefined;

const earlier = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
