import { isFilled } from '../../domain/discovery/binding-move.ts';
import { heldBack, recordOf } from '../../domain/discovery/binding-record.ts';
import { bindingLosesCluster } from '../../domain/discovery/lost-clusters.ts';
import type { RegisteredTarget, Registration } from '../../domain/discovery/registered-target.ts';
import type { Problem } from '../../domain/discovery/sync-status.ts';
import { decideBinding } from '../../domain/discovery/target-group-binding.ts';
import { isFailureType, isPermanent } from '../../domain/failures.ts';
import type { KubernetesClient } from '../../clients/kubernetes.ts';
import { FAILED_AGAIN_SECONDS, type ClusterReads } from '../clusters/reader.ts';
import { lookTwice } from '../look-twice.ts';
import { readClusters } from './clusters.ts';
import type { Bound, FoundGroup, GroupDependencies } from './group.ts';
import type { BindingLedger } from './ledger.ts';
import type { BindingOutcome } from './report.ts';
import { deregister, readRegistered, register } from './targets.ts';

/** What a binding is bound with. */
export type Binding = GroupDependencies & {
  readonly kubernetes: KubernetesClient;
  readonly reads: ClusterReads;
};

/** Makes the targets in a target group what they are to be; says whether the one before may be emptied. */
export async function registerIn(
  { arn: targetGroupARN, targetType, problems }: FoundGroup & { readonly is: 'Group' },
  { elbv2, budget, reads }: Binding,
  { bound, ledger }: { readonly bound: Bound; readonly ledger: BindingLedger },
): Promise<BindingOutcome & { readonly mayLeave: boolean }> {
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
  const { targets: ours, former = [] } = ledger.now();
  const { targets } = spec;
  const decision = decideBinding({
    namespace,
    targets,
    targetType,
    clusters,
    registered,
    ours,
    former: former.flatMap((place) => place.targets),
  });
  const record = (now: readonly RegisteredTarget[]) => ledger.write({ ...ledger.now(), targets: now });
  await record(decision.claim);
  const added = await register(writes, decision.register);
  const failedToCome = [...added.refused, ...added.unknown];
  const reasons = added.problems.map(({ reason }) => reason);
  const held = heldBack(decision, { failed: failedToCome, reasons });
  const removed = await deregister(writes, withoutHeld(decision.deregister, held));
  const remaining = [...held, ...removed.refused, ...removed.unknown];
  await record(recordOf(decision, { refused: added.refused, remaining }));
  const failed = [...added.problems, ...removed.problems];
  return {
    problems: [...problems, ...decision.problems, ...failed],
    againInSeconds: earlier(againInSeconds, soonest(failed)),
    mayLeave: isFilled(decision, { failed: failedToCome, reasons }),
  };
}

const withoutHeld = (
  batches: readonly (readonly Registration[])[],
  held: readonly Registration[],
): readonly (readonly Registration[])[] =>
  batches.map((batch) => batch.filter((one) => !held.includes(one))).filter((batch) => batch.length > 0);

/** Soon, when trying again can help by itself. */
export const soonest = (problems: readonly Problem[]): number | undefined =>
  problems.some(({ reason }) => isFailureType(reason) && !isPermanent(reason))
    ? FAILED_AGAIN_SECONDS
    : undefined;

/** The earlier of two times, if there is any. */
export const earlier = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
