import { AWS_TARGET_GROUP_BINDING } from '../../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import {
  awsTargetGroupBinding,
  type AWSTargetGroupBinding,
  type AWSTargetGroupBindingSpec,
} from '../../../crds/aws-target-group-binding.ts';
import {
  turnTo,
  withoutEmpty,
  tooManyFormer,
  type Place,
  isTooManyFormer,
} from '../../../domain/discovery/target-group-binding/binding-move.ts';
import { canonical } from '../../../domain/kubernetes/canonical.ts';
import type { ObjectKey } from '../../../domain/model/ids.ts';
import { objectWorkflowId } from '../../../domain/model/workflow-ids.ts';
import { BINDING_FINALIZER } from '../../../domain/kubernetes/labels.ts';
import type { Problem } from '../../../domain/discovery/sync-status.ts';
import { refusedManaged, refusedUse, refusedGroup } from './allowed.ts';
import { attempt, problemOf } from './attempt.ts';
import { registerIn, type Binding } from './fill.ts';
import { groupFinder, type Bound, type FoundGroup, type GroupDependencies, findFormer } from './group.ts';
import {
  deleteCreated,
  leaveFormer,
  leaveGroup,
  whileInUse,
  type LeavingDependencies,
  hasMoved,
} from './leave.ts';
import { bindingLedger, type BindingLedger, formerLedger } from './ledger.ts';
import { bindingReporter, type BindingOutcome } from './report.ts';
import { searches } from './searches.ts';
import { FAILED_AGAIN_SECONDS, type ClusterReader, type ClusterReads } from '../clusters/reader.ts';
import type { SyncActivities, Synced } from '../../contract.ts';
import { addFinalizerAndRead, removeFinalizer, type FinalizerOf } from '../../kubernetes/finalizers.ts';
import { goesWithKind } from '../../kubernetes/goes-with-kind.ts';
import { isFirstAttempt, lifetime, type Lifetime } from '../lifetime.ts';
import { earlier } from '../../../domain/discovery/missing.ts';
import { soonest } from '../soonest.ts';
import { targetsHashOf } from './shared.ts';

/** What the activities of AWSTargetGroupBindings are made of. */
export interface BindingDependencies extends GroupDependencies {
  readonly kubernetes: KubernetesClient;
  readonly reader: ClusterReader;
  /** How long what is missed keeps what it had. */
  readonly graceSeconds: number;
}

const gone: Synced = { isPresent: false, message: 'The AWSTargetGroupBinding is gone.' };

/** Makes the activities of AWSTargetGroupBindings. */
export function targetGroupBindingActivities(
  means: BindingDependencies,
): Pick<SyncActivities, 'syncTargetGroupBinding'> {
  const dependencies = { ...means, searches: searches() };
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
  async function end(object: AWSTargetGroupBinding, held: FinalizerOf, life: Lifetime): Promise<Synced> {
    if (object.metadata.finalizers?.includes(held.finalizer) !== true) return gone;
    // Whoever deletes the definition of all these objects has not asked to take targets out of service.
    if (await goesWithKind(kubernetes, held.kind)) {
      await removeFinalizer(kubernetes, held);
      return gone;
    }
    const parsed = awsTargetGroupBinding.parseSpec(object.spec);
    const spec = parsed.ok ? parsed.value : undefined;
    const bound = boundOf(object, held.key, life);
    const ledger = bindingLedger(kubernetes, bound);
    const outcome = await attempt(life.signal, () => undo(dependencies, { ...bound, spec }, ledger));
    if (outcome.problems.length > 0) return await report(object, ledger, outcome);
    await removeFinalizer(kubernetes, held);
    return gone;
  }

  return {
    async syncTargetGroupBinding(key, last) {
      const life = lifetime();
      using reads = reader.begin(
        objectWorkflowId('AWSTargetGroupBinding', key),
        isFirstAttempt() ? last : undefined,
      );
      const held = { kind: AWS_TARGET_GROUP_BINDING, key, finalizer: BINDING_FINALIZER };
      const found = await kubernetes.get<AWSTargetGroupBinding>(AWS_TARGET_GROUP_BINDING, key);
      if (found === undefined) return gone;
      if (found.metadata.deletionTimestamp !== undefined) return await end(found, held, life);
      // What counts is the status that the object has from here on.
      const object = await addFinalizerAndRead<AWSTargetGroupBinding>(kubernetes, held);
      return object === undefined ? gone : await sync(object, { key, life, reads });
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

/** Makes the registrations of an object what they are to be, also in the target groups that it moves from. */
async function bind(dependencies: Binding, bound: Bound, ledger: BindingLedger): Promise<BindingOutcome> {
  const filled: Filling = await attempt(bound.life.signal, () => fill(dependencies, bound, ledger));
  const { mayLeave, ...outcome } = filled;
  const { targetGroupARN = '', former } = ledger.now();
  if (former === undefined) return outcome;
  const notLeft = mayLeave === false ? [notFilled(targetGroupARN)] : [];
  const problems = mayLeave === true ? await leaveFormer(dependencies, ledger, bound) : notLeft;
  const inUse = problems.filter(({ reason }) => reason === 'TargetGroupInUse').map(({ object }) => object);
  const stays = (arn: string): boolean => mayLeave !== true || inUse.includes(arn);
  const kept = await keepUp(dependencies, { bound, ledger }, stays);
  const missing = outcome.missing ?? kept.missing;
  return {
    ...outcome,
    problems: distinct([...outcome.problems, ...problems, ...kept.problems]),
    ...(missing === undefined ? {} : { missing }),
    againInSeconds: earlier(earlier(outcome.againInSeconds, kept.againInSeconds), soonest(problems)),
  };
}

/** The outcome in the target group that is asked for, or where the targets stay until that is to be had. */
type Filling = BindingOutcome & { readonly mayLeave?: boolean };

async function fill(dependencies: Binding, bound: Bound, ledger: BindingLedger): Promise<Filling> {
  const refused =
    (await refusedUse(dependencies.kubernetes, bound, dependencies.region)) ??
    (await refusedManaged(dependencies.reads, bound, ledger.now().targetGroupARN));
  if (refused !== undefined) return await stay(dependencies, { bound, ledger }, refused);
  const group = await find(dependencies, bound);
  if (group.is === 'Problem') return await stay(dependencies, { bound, ledger }, group.problem);
  const { arn: targetGroupARN, created } = group;
  const entry = turnTo(ledger.now(), { targetGroupARN, created });
  const full = tooManyFormer(entry);
  if (full !== undefined) return await stay(dependencies, { bound, ledger }, full);
  await ledger.write(entry);
  return await registerIn(group, dependencies, { bound, ledger });
}

/** The target group that is asked for; one that cannot be described or created just now is not to be had either. */
async function find(dependencies: Binding, bound: Bound): Promise<FoundGroup> {
  try {
    return await groupFinder(dependencies)(bound);
  } catch (error) {
    return { is: 'Problem', problem: problemOf(error, bound.life) };
  }
}

/** What is wrong with a cluster is so in each target group. */
const distinct = (problems: readonly Problem[]): readonly Problem[] => [
  ...new Map(problems.map((one) => [canonical(one), one])).values(),
];

const notFilled = (targetGroupARN: string): Problem => ({
  object: targetGroupARN,
  reason: 'TargetGroupNotFilled',
  message: `Expected all targets to be registered in ${targetGroupARN} before they leave the target group that they were in, got the problems that are listed beside this. They stay there too meanwhile; correct what is wrong (where there is no room, have the quota of AWS raised, or ask for fewer targets), or name the former target group again.`,
});

// A Cell that lets a target group go needs some seconds.
const IN_USE_AGAIN_SECONDS = 3;

/** Deregisters what an object has registered, and deletes what was created for it if that is asked for. */
async function undo(
  dependencies: LeavingDependencies,
  bound: Omit<Bound, 'spec'> & { readonly spec: AWSTargetGroupBindingSpec | undefined },
  ledger: BindingLedger,
): Promise<BindingOutcome> {
  const { life } = bound;
  const inUse = await whileInUse(dependencies, ledger.now(), life);
  if (inUse.length > 0) return { problems: inUse, againInSeconds: IN_USE_AGAIN_SECONDS };
  await ledger.write(withoutEmpty(ledger.now()));
  const problems = [...(await leaveFormer(dependencies, ledger, bound))];
  const { targetGroupARN, created, targets } = ledger.now();
  if (targetGroupARN !== undefined) {
    const left = await leaveGroup(dependencies, { targetGroupARN, created, targets }, bound);
    problems.push(...left.problems);
    // The target group is named until it is deleted.
    await ledger.write({ ...ledger.now(), targets: left.targets });
  }
  if (problems.length > 0) return { problems, againInSeconds: FAILED_AGAIN_SECONDS };
  if (bound.spec?.deletionPolicy !== 'Delete') return { problems };
  return { problems: await deleteCreated(dependencies, bound), againInSeconds: FAILED_AGAIN_SECONDS };
}

/**
 * Keeps up the targets in the target groups that an object moves from and cannot leave yet. Of one that was filled by
 * other targets of the spec than there are now, nobody knows what is to be in it: it is left as it is.
 */
async function keepUp(
  dependencies: Binding,
  { bound, ledger }: { readonly bound: Bound; readonly ledger: BindingLedger },
  stays: (targetGroupARN: string) => boolean,
): Promise<BindingOutcome> {
  const hash = targetsHashOf(bound.spec);
  const keepUpIn = async (place: Place): Promise<BindingOutcome> => {
    const refused = await refusedGroup(dependencies.kubernetes, bound, place.targetGroupARN);
    const group = refused === undefined ? await findFormer(dependencies, place, bound.life) : undefined;
    if (group?.is !== 'Group') return { problems: [] };
    return await registerIn(group, dependencies, { bound, ledger: formerLedger(ledger, place) });
  };
  let all: BindingOutcome = { problems: [] };
  for (const place of ledger.now().former ?? []) {
    const { targetGroupARN, targetsHash } = place;
    if (!stays(targetGroupARN) || targetsHash !== hash) continue;
    // Where one does not answer, the others are kept up all the same.
    const outcome = await attempt(bound.life.signal, () => keepUpIn(place), targetGroupARN);
    all = joined(all, outcome);
  }
  return all;
}

function joined(one: BindingOutcome, other: BindingOutcome): BindingOutcome {
  const both = [one.missing, other.missing].filter((some) => some !== undefined);
  const missing = new Map(both.flat().map((each) => [each.name, each]));
  return {
    problems: [...one.problems, ...other.problems],
    ...(both.length === 0 ? {} : { missing: [...missing.values()] }),
    againInSeconds: earlier(one.againInSeconds, other.againInSeconds),
  };
}

/**
 * Keeps up the targets where they are, when the target group that they are to move to is not to be had. Where they are
 * may be a target group that the namespace may not use any more, and which is left alone then.
 */
export async function stay(
  dependencies: Binding,
  { bound, ledger }: { readonly bound: Bound; readonly ledger: BindingLedger },
  problem: Problem,
): Promise<Staying> {
  const { mayLeave, ...outcome } = await keptThere(dependencies, { bound, ledger }, problem);
  const kept = { ...outcome, againInSeconds: earlier(soonest([problem]), outcome.againInSeconds) };
  // Nothing but leaving those before makes room in the status, also where the targets here are not looked after.
  return isTooManyFormer(problem) ? { ...kept, mayLeave: mayLeave ?? true } : kept;
}

/** The outcome where the targets stay; whether the target groups before that one may be emptied, if that is to be. */
type Staying = BindingOutcome & { readonly mayLeave?: boolean };

async function keptThere(
  dependencies: Binding,
  { bound, ledger }: { readonly bound: Bound; readonly ledger: BindingLedger },
  problem: Problem,
): Promise<Staying> {
  const { targetGroupARN: former, targetsHash } = ledger.now();
  if (former === undefined || !hasMoved(bound.spec, ledger.now())) return { problems: [problem] };
  const refused = await refusedGroup(dependencies.kubernetes, bound, former);
  if (refused !== undefined) return { problems: [problem, refused] };
  const group = await findFormer(dependencies, ledger.now(), bound.life);
  if (group?.is !== 'Group') return { problems: [problem] };
  const stays = `${problem.message} Until then the targets stay in ${group.arn}`;
  // Other targets are for the new target group: this one may serve.
  if (targetsHash !== undefined && targetsHash !== targetsHashOf(bound.spec))
    return {
      problems: [{ ...problem, message: `${stays} as they are, since spec.targets asks for others.` }],
    };
  const message = `${stays}.`;
  const outcome = await registerIn(group, dependencies, { bound, ledger });
  return { ...outcome, problems: [{ ...problem, message }, ...outcome.problems] };
}
