import {
  recordOf,
  type RegisteredTarget,
  type SharedTargets,
} from '../../../domain/discovery/target-group-binding/registered-target.ts';
import {
  holdBack,
  decideBinding,
  type BindingDecision,
  type ObservedBinding,
  type WrittenTargets,
} from '../../../domain/discovery/target-group-binding/target-group-binding.ts';
import { findMissedByBinding } from '../../../domain/discovery/target-group-set/lost-clusters.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import {
  FAILED_AGAIN_SECONDS,
  type ClusterReader,
  retryUnreadInSeconds,
  type ClusterAccess,
} from '../clusters/reader.ts';
import { earlierOf } from '../../../domain/discovery/missing.ts';
import type { Problem } from '../../../domain/discovery/sync-status.ts';
import type { Bound, FoundGroup, GroupDependencies } from './group.ts';
import { type BindingLedger, type BindingOutcome, readShared, withoutKept } from './ledger.ts';
import { deregister, readTargets, refusedForOne, register } from './targets.ts';
import { isFailureType, isPermanent } from '../../../domain/failures.ts';
import { NODE, POD } from '../../../clients/kubernetes/kinds.ts';
import type { AWSTargetGroupBindingSpec } from '../../../crds/aws-target-group-binding.ts';
import type { ObjectKey } from '../../../domain/model/ids.ts';
import { targetLooksInto } from '../../../domain/discovery/target-group-set/looks-into.ts';
import { readSeen, trimRemote, type RemoteObject } from '../../../domain/discovery/clusters/seen.ts';
import { lookedAt, type SeenCluster } from '../../../domain/discovery/target-group-binding/binding-ids.ts';

/** What a binding is bound with. */
export type Binding = GroupDependencies & {
  readonly kubernetes: KubernetesClient;
  readonly reader: ClusterReader;
  readonly graceSeconds: number;
};

/** Registers and deregisters targets until a target group has those that a binding asks for. */
export async function syncTargets(
  { arn: targetGroupARN, targetType, problems }: FoundGroup & { readonly is: 'Group' },
  { kubernetes, elbv2, limits, reader, graceSeconds }: Binding,
  { bound, ledger }: { readonly bound: Bound; readonly ledger: BindingLedger },
): Promise<BindingOutcome> {
  const { key, spec, life, status } = bound;
  const { namespace } = key;
  const { targets } = spec;
  const { clusters, secrets, againInSeconds } = await readClusters(reader, spec, key);
  const client = elbv2(targetGroupARN);
  const writes = { elbv2: client, targetGroupARN, limits, life };
  const { registered, unhealthy, draining } = await readTargets(client, targetGroupARN, life.signal);
  const { targets: ours } = ledger.now();
  const grace = { before: status.missing ?? [], now: Date.now(), seconds: graceSeconds };
  const missed = findMissedByBinding(ours, { targets, secrets }, grace);
  const shared = () => readShared(kubernetes, bound, { targetGroupARN, isLeftInUse: false });
  const missing = missed.missing.map(({ name }) => name);
  const observed = { namespace, targets, targetType, clusters, registered, ours, missing };
  const decision = await decideWith(observed, shared);
  const record = (now: readonly RegisteredTarget[]) => ledger.write({ ...ledger.now(), targets: now });
  await record(decision.claim);
  const added = await register(writes, decision.register, suspectsIn(status.problems));
  const held = holdBack(decision, added, unhealthy);
  const removed = await deregister(
    writes,
    await withoutKept(
      decision.deregister.filter((one) => !held.includes(one)),
      shared,
    ),
  );
  const remaining = [...held, ...removed.refused, ...removed.unknown];
  await record(recordOf(decision, { refused: added.refused, remaining }));
  const failed = [...added.problems, ...removed.problems];
  const isMakingRoom = decision.deregister.length > 0 || draining > 0;
  return {
    problems: [...problems, ...missed.problems, ...decision.problems, ...failed],
    missing: missed.missing,
    againInSeconds: [missed.againInSeconds, retryInSeconds(failed), untilSettled(added, isMakingRoom)].reduce(
      earlierOf,
      againInSeconds,
    ),
  };
}

/** The ids of the targets that AWS refused before, as the status says. */
const suspectsIn = (problems: readonly Problem[] = []): ReadonlySet<string> =>
  new Set(
    problems.flatMap(({ reason, object }) =>
      object !== undefined && refusedForOne.includes(reason) ? [object] : [],
    ),
  );

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

/** Soon, when trying again can help by itself. */
export const retryInSeconds = (problems: readonly Problem[]): number | undefined =>
  problems.some(({ reason }) => isFailureType(reason) && !isPermanent(reason))
    ? FAILED_AGAIN_SECONDS
    : undefined;

/** Reads the nodes and pods that targets may be; `secrets` are undefined when nobody has looked. */
async function readClusters(
  reader: ClusterReader,
  { targets }: AWSTargetGroupBindingSpec,
  { namespace }: ObjectKey,
) {
  if (targets.every(({ ids }) => ids !== undefined))
    return { clusters: [], secrets: undefined, againInSeconds: undefined };
  const found = await reader.find(namespace);
  const readings = await Promise.all(
    found.flatMap((remote) => {
      const looking = targets.filter((target) => targetLooksInto(target, remote.cluster));
      const whats = new Set(looking.map((target) => lookedAt(target, namespace)));
      return [...whats].map(async (what) => {
        const { name, labels } = remote.cluster;
        const said = await reader.read(remote, what, (access) => seenIn(access, { cluster: name, what }));
        return { said, cluster: { name, labels, what, seen: said.ok ? said.value : said } };
      });
    }),
  );
  return {
    clusters: readings.map(({ cluster }) => cluster),
    secrets: found.map(({ cluster }) => cluster.name),
    againInSeconds: retryUnreadInSeconds(readings.map(({ said }) => said)),
  };
}

async function seenIn(
  { client, namespaces }: ClusterAccess,
  { cluster, what }: { readonly cluster: string; readonly what: string },
): Promise<SeenCluster['seen']> {
  if (what === 'nodes') {
    const nodes = await client.list<RemoteObject>(NODE, { trim: trimRemote });
    return { ok: true, objects: nodes.map(readSeen) };
  }
  const namespace = what.slice('pods/'.length);
  if (namespaces.length > 0 && !namespaces.includes(namespace)) {
    const message = `The secret of cluster ${cluster} does not allow namespace ${namespace}, only ${namespaces.join(', ')}. Add it to namespaces in the secret, or correct podNamespace.`;
    return { ok: false, reason: 'NamespaceNotAllowed', message };
  }
  const pods = await client.list<RemoteObject>(POD, { namespace, trim: trimRemote });
  return { ok: true, objects: pods.map(readSeen) };
}
