import { setTimeout as wait } from 'node:timers/promises';
import { accessPolicies } from '../../../clients/kubernetes/access-policies.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import { awsTargetGroupSet, type AWSTargetGroupSetSpec } from '../../../crds/aws-target-group-set.ts';
import { refusalOf } from '../../../domain/access/access.ts';
import { compareText, canonical } from '../../../domain/kubernetes/canonical.ts';
import {
  joinBindings,
  type ClusterReading,
  type DesiredGroup,
  type ExistingBinding,
} from '../../../domain/discovery/target-group-set/observed-target-group-set.ts';
import type { ObjectKey } from '../../../domain/model/ids.ts';
import { setLooksInto } from '../../../domain/discovery/target-group-set/looks-into.ts';
import type { Problem } from '../../../domain/discovery/sync-status.ts';
import { earlierOf } from '../../../domain/discovery/missing.ts';
import { retryUnreadInSeconds, type ClusterAccess, type ClusterReader } from '../clusters/reader.ts';
import { listBindings } from '../clusters/target-group-bindings.ts';
import type { SyncActivities } from '../../contract.ts';
import { createSetSync, readOwned, type Found, planWrites } from '../owned-objects.ts';
import { decideTargetGroupSet } from '../../../domain/discovery/target-group-set/target-group-set.ts';
import { AWS_TARGET_GROUP, AWS_TARGET_GROUP_BINDING } from '../../../clients/kubernetes/kinds.ts';
import type { AWSTargetGroup } from '../../../crds/aws-target-group.ts';
import { awsTargetGroupBinding, type AWSTargetGroupBinding } from '../../../crds/aws-target-group-binding.ts';
import type { Changes, JsonObject } from '../../../domain/discovery/generated.ts';
import type { DesiredBinding } from '../../../domain/discovery/target-group-set/target-group-of-binding.ts';
import { namedARN } from '../../../domain/model/target-group.ts';
import { performWrites } from '../../kubernetes/writes.ts';

async function findObjects(kubernetes: KubernetesClient, namespace: string) {
  const [groups, bindings] = await Promise.all([
    kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace }),
    kubernetes.list<AWSTargetGroupBinding>(AWS_TARGET_GROUP_BINDING, { namespace }),
  ]);
  return {
    groups: groups.map((group) => ({ ...readOwned(group.metadata), arn: namedARN(group) ?? '' })),
    bindings: bindings.map(existingBinding),
  };
}

function existingBinding({ metadata, spec, status }: AWSTargetGroupBinding): ExistingBinding & Found {
  const parsed = awsTargetGroupBinding.parseSpec(spec);
  return {
    ...readOwned(metadata),
    // One that is not as the schema has it differs from all that is wanted, and is made good.
    spec: canonical(parsed.ok ? parsed.value : spec),
    arn: status?.targetGroupARN,
    isDeleting: metadata.deletionTimestamp !== undefined,
  };
}

interface TargetGroupSetDependencies {
  readonly kubernetes: KubernetesClient;
  readonly reader: ClusterReader;
  readonly graceSeconds: number;
}

/** Makes the activities of AWSTargetGroupSets. */
export function targetGroupSetActivities({
  kubernetes,
  reader,
  graceSeconds,
}: TargetGroupSetDependencies): Pick<SyncActivities, 'syncTargetGroupSet'> {
  return {
    syncTargetGroupSet: createSetSync({
      kubernetes,
      kind: awsTargetGroupSet,
      graceSeconds,
      async sync(spec, { owner, life, grace }) {
        const { key, uid } = owner;
        const look = async () => {
          const [readings, found] = await Promise.all([
            readClusters(reader, spec, key.namespace),
            findObjects(kubernetes, key.namespace),
          ]);
          const observed = { uid, name: key.name, spec, ...found, readings, grace: grace() };
          return { readings, found, decision: decideTargetGroupSet(observed) };
        };
        const { readings, found, decision } = await lookUntilSettled(look, () =>
          wait(VANISHED_MILLISECONDS, undefined, { signal: life.signal }),
        );
        const own = found.groups.filter((group) => group.owner?.uid === uid);
        const means = { kubernetes, owner, ownerKind: awsTargetGroupSet.kind };
        const writes = [
          ...planWrites<DesiredBinding>(decision.bindings, {
            ...means,
            kind: AWS_TARGET_GROUP_BINDING,
            found: found.bindings,
            bodyOf: ({ spec: written }) => ({ spec: JSON.parse(written) as JsonObject }),
          }),
          ...planWrites<DesiredGroup>(decision.groups, {
            ...means,
            kind: AWS_TARGET_GROUP,
            found: found.groups,
            bodyOf: ({ arn }) => ({ spec: { arn } }),
          }),
        ];
        const failures = await performWrites(writes, life);
        const refused = await refusedTemplate(kubernetes, spec, key);
        const { create, delete: gone } = decision.groups;
        return {
          names: readings.map(({ cluster }) => cluster.name).toSorted(compareText),
          targetGroups: own.length + create.length - gone.length,
          problems: [...refused, ...decision.problems, ...failures],
          missing: decision.missed.missing,
          againInSeconds: earlierOf(
            retryUnreadInSeconds(readings.map((one) => one.found)),
            decision.missed.againInSeconds,
          ),
        };
      },
      summarize: ({ names, targetGroups = 0 }) =>
        `${targetGroups} AWSTargetGroups of ${names.length} clusters.`,
    }),
  };
}

async function refusedTemplate(
  kubernetes: KubernetesClient,
  { bindingTemplate }: AWSTargetGroupSetSpec,
  { namespace }: ObjectKey,
): Promise<readonly Problem[]> {
  const arn = bindingTemplate?.spec.targetGroupARN;
  if (arn === undefined) return [];
  const message = refusalOf(await accessPolicies(kubernetes).of(namespace), { of: 'TargetGroup', arn });
  const object = 'spec.bindingTemplate.spec.targetGroupARN';
  return message === undefined ? [] : [{ object, reason: 'NotAllowed', message }];
}

// While the definition of a kind is being deleted, a cluster lists ever fewer objects, and then has the kind no more.
const VANISHED_MILLISECONDS = 10_000;
const MOST_LOOKS = 5;

/** Looks again after a while until the AWSTargetGroups that would go are the same twice; those that are not stay. */
export async function lookUntilSettled<
  T extends { readonly decision: { readonly groups: Pick<Changes<never>, 'delete'> } },
>(look: () => Promise<T>, pause: () => Promise<unknown>): Promise<T> {
  const leavingIn = ({ decision }: T): string => decision.groups.delete.map(({ uid }) => uid).join(' ');
  let before = await look();
  for (let looks = 1; leavingIn(before) !== '' && looks < MOST_LOOKS; looks += 1) {
    await pause();
    const now = await look();
    if (leavingIn(now) === leavingIn(before)) return now;
    before = now;
  }
  const { decision } = before;
  return { ...before, decision: { ...decision, groups: { ...decision.groups, delete: [] } } };
}

async function readClusters(
  reader: ClusterReader,
  spec: AWSTargetGroupSetSpec,
  namespace: string,
): Promise<readonly ClusterReading[]> {
  const clusters = (await reader.find(namespace)).filter(({ cluster }) => setLooksInto(spec, cluster));
  return await Promise.all(
    clusters.map(async (one) => {
      const said = await reader.read(one, 'TargetGroupBindings', bindingsIn);
      return { cluster: one.cluster, found: said.ok ? said.value : said };
    }),
  );
}

const bindingsIn = async ({ client, namespaces }: ClusterAccess) => ({
  ...joinBindings(await listBindings(client, namespaces)),
  namespaces,
});
