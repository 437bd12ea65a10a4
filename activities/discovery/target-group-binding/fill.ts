import { isFilled } from '../../../domain/discovery/target-group-binding/binding-move.ts';
import { recordOf } from '../../../domain/discovery/target-group-binding/binding-record.ts';
import { withFormerNames } from '../../../domain/discovery/target-group-binding/former-names.ts';
import { endedOf, whereFound } from '../../../domain/discovery/target-group-binding/ended-targets.ts';
import { heldBack, type Registering } from '../../../domain/discovery/target-group-binding/held-back.ts';
import { missedByBinding } from '../../../domain/discovery/target-group-set/lost-clusters.ts';
import type {
  RegisteredTarget,
  Registration,
} from '../../../domain/discovery/target-group-binding/registered-target.ts';
import type { SharedTargets } from '../../../domain/discovery/target-group-binding/shared-targets.ts';
import {
  decideBinding,
  type BindingDecision,
  type ObservedBinding,
} from '../../../domain/discovery/target-group-binding/target-group-binding.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import { FAILED_AGAIN_SECONDS, type ClusterReads } from '../clusters/reader.ts';
import { earlier } from '../../../domain/discovery/missing.ts';
import { soonest } from '../soonest.ts';
import { readClusters } from './clusters.ts';
import type { Bound, FoundGroup, GroupDependencies } from './group.ts';
import type { BindingLedger } from './ledger.ts';
import type { BindingOutcome } from './report.ts';
import type { Searches } from './searches.ts';
import { readShared, targetsHashOf, withoutKept } from './shared.ts';
import { deregister, readTargets, register, type WrittenTargets } from './targets.ts';

/** What a binding is bound with. */
export type Binding = GroupDependencies & {
  readonly kubernetes: KubernetesClient;
  readonly reads: ClusterReads;
  readonly searches: Searches;
  /** How long what is missed keeps what it had. */
  readonly graceSeconds: number;
};

/** Makes the targets in a target group what they are to be; says whether the one before may be emptied. */
export async function registerIn(
  { arn: targetGroupARN, targetType, isInUse, problems }: FoundGroup & { readonly is: 'Group' },
  { kubernetes, elbv2, limits, searches, reads, graceSeconds }: Binding,
  { bound, ledger }: { readonly bound: Bound; readonly ledger: BindingLedger },
): Promise<BindingOutcome & { readonly mayLeave: boolean }> {
  const { key, spec, life } = bound;
  const { clusters, secrets: known, againInSeconds } = await readClusters(reads, spec, key);
  const { namespace } = key;
  const client = elbv2(targetGroupARN);
  using search = searches.of(namespace, `${bound.uid} ${targetGroupARN}`);
  const writes = { elbv2: client, targetGroupARN, limits, life, search };
  const { registered, ...surroundings } = await readTargets(client, targetGroupARN, life.signal);
  const { targets: registeredBefore, former = [] } = ledger.now();
  const { targets } = spec;
  const ours = withFormerNames(registeredBefore, known ?? []);
  const elsewhere = withFormerNames(
    former.flatMap((place) => place.targets),
    known ?? [],
  );
  const secrets = known?.map(({ name }) => name);
  const grace = { before: bound.status.missing ?? [], now: Date.now(), seconds: graceSeconds };
  const missed = missedByBinding([...ours, ...elsewhere], { targets, secrets }, grace);
  const shared = () => readShared(kubernetes, bound, { targetGroupARN, isInUse, isLeft: false });
  const observed = {
    namespace,
    targets,
    targetType,
    clusters,
    registered,
    ours,
    former: elsewhere,
    missing: missed.missing.map(({ name }) => name),
  };
  const decision = await decideWith(observed, shared);
  const record = (now: readonly RegisteredTarget[]) =>
    ledger.write({ ...ledger.now(), targets: now, targetsHash: targetsHashOf(spec) });
  const leaving = decision.deregister.flat();
  // With another spec it may only be looked for elsewhere.
  const isSame = bound.generation !== undefined && search.generation === bound.generation;
  const found = isSame ? [...ours, ...search.held] : [];
  const ended = endedOf(leaving, { ...observed, ours: found });
  await record(decision.claim);
  if (decision.isLookedFor) search.generation = bound.generation;
  const added = await register(writes, decision.register);
  const registering = registeringOf(added);
  const held = heldBack(decision, registering, { ...surroundings, ended });
  search.held = whereFound(held, found);
  const removed = await deregister(writes, await withoutKept(withoutHeld(decision.deregister, held), shared));
  const remaining = [...held, ...removed.refused, ...removed.unknown];
  await record(recordOf(decision, { refused: added.refused, remaining }));
  const failed = [...added.problems, ...removed.problems];
  const isMakingRoom = leaving.length > 0 || surroundings.draining > 0;
  return {
    problems: [...problems, ...missed.problems, ...decision.problems, ...failed],
    missing: missed.missing,
    againInSeconds: [missed.againInSeconds, soonest(failed), untilSettled(added, isMakingRoom)].reduce(
      earlier,
      againInSeconds,
    ),
    mayLeave: isFilled(decision, registering),
  };
}

const registeringOf = ({ refused, unknown, problems, ...others }: WrittenTargets): Registering => ({
  ...others,
  failed: [...refused, ...unknown],
  reasons: problems.map(({ reason }) => reason),
});

/** Soon, when the next sync can register what this one could not: it searches on, or there is room by then. */
const untilSettled = (
  { unsettled, withoutRoom }: WrittenTargets,
  isMakingRoom: boolean,
): number | undefined =>
  unsettled.length > 0 || (withoutRoom.length > 0 && isMakingRoom) ? FAILED_AGAIN_SECONDS : undefined;

/** Decides; what is wanted and is someone else's may be that of another object, which shares it. */
async function decideWith(
  observed: ObservedBinding,
  shared: () => Promise<SharedTargets>,
): Promise<BindingDecision> {
  const decision = decideBinding(observed);
  if (decision.foreign.length === 0) return decision;
  return decideBinding({ ...observed, isShared: (await shared()).isTheirs });
}

const withoutHeld = (
  batches: readonly (readonly Registration[])[],
  held: readonly Registration[],
): readonly (readonly Registration[])[] =>
  batches.map((batch) => batch.filter((one) => !held.includes(one))).filter((batch) => batch.length > 0);
