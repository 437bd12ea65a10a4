import { given } from '../../../domain/model/fields.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { accessPolicies } from '../../../clients/kubernetes/access-policies.ts';
import { AWS_TARGET_GROUP_SET } from '../../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import {
  awsTargetGroupSet,
  type AWSTargetGroupSet,
  type AWSTargetGroupSetSpec,
} from '../../../crds/aws-target-group-set.ts';
import { refusalOf } from '../../../domain/access/access.ts';
import { compareText } from '../../../domain/kubernetes/canonical.ts';
import {
  joinBindings,
  type ClusterReading,
} from '../../../domain/discovery/target-group-set/observed-target-group-set.ts';
import type { ObjectKey } from '../../../domain/model/ids.ts';
import { setLooksInto } from '../../../domain/discovery/target-group-set/looks-into.ts';
import {
  namesOf,
  saysTheSame,
  deriveSyncStatus,
  type Problem,
} from '../../../domain/discovery/sync-status.ts';
import { earlierOf, type Missing } from '../../../domain/discovery/missing.ts';
import { retryUnreadInSeconds, type ClusterAccess, type ClusterReader } from '../clusters/reader.ts';
import { listBindings } from '../clusters/target-group-bindings.ts';
import type { SyncActivities, Synced } from '../../contract.ts';
import { startLifetime, type Lifetime } from '../lifetime.ts';
import { createReadReporter } from '../../kubernetes/status-reporter.ts';
import { createTargetGroupObjects, type FoundObjects } from './target-group-objects.ts';
import {
  decideTargetGroupSet,
  type TargetGroupSetDecision,
} from '../../../domain/discovery/target-group-set/target-group-set.ts';

/** What the activities of AWSTargetGroupSets are made of. */
interface TargetGroupSetDependencies {
  readonly kubernetes: KubernetesClient;
  readonly reader: ClusterReader;
  /** How long what is missed keeps what it had. */
  readonly graceSeconds: number;
}

/** Makes the activities of AWSTargetGroupSets. */
export function targetGroupSetActivities({
  kubernetes,
  reader,
  graceSeconds,
}: TargetGroupSetDependencies): Pick<SyncActivities, 'syncTargetGroupSet'> {
  const report = createReadReporter(kubernetes);
  const objects = createTargetGroupObjects(kubernetes);

  /** Makes the objects what they are to be; says how many there are, and what is wrong. */
  async function sync(object: AWSTargetGroupSet, key: ObjectKey, life: Lifetime): Promise<Outcome> {
    const parsed = awsTargetGroupSet.parseSpec(object.spec);
    if (!parsed.ok) return invalid(object, parsed.problems);
    const spec = parsed.value;
    const owner = { key, uid: object.metadata.uid ?? '' };
    const look = async (): Promise<Look> => {
      const [readings, found] = await Promise.all([
        readClusters(reader, spec, key.namespace),
        objects.find(key.namespace),
      ]);
      const grace = { before: object.status?.missing ?? [], now: Date.now(), seconds: graceSeconds };
      const { uid } = owner;
      const observed = { uid, name: key.name, spec, ...found, readings, grace };
      return { readings, found, decision: decideTargetGroupSet(observed) };
    };
    const { readings, found, decision } = await lookUntilSettled(look, () =>
      wait(VANISHED_MILLISECONDS, undefined, { signal: life.signal }),
    );
    const own = found.groups.filter((group) => group.owner?.uid === owner.uid);
    const failures = await objects.perform({ owner, life }, decision, found);
    const refused = await refusedTemplate(kubernetes, spec, key);
    const { create, delete: gone } = decision.groups;
    return {
      clusters: readings.map(({ cluster }) => cluster.name).toSorted(compareText),
      targetGroups: own.length + create.length - gone.length,
      problems: [...refused, ...decision.problems, ...failures],
      missing: decision.missed.missing,
      againInSeconds: earlierOf(
        retryUnreadInSeconds(readings.map((one) => one.found)),
        decision.missed.againInSeconds,
      ),
    };
  }

  return {
    async syncTargetGroupSet(key): Promise<Synced> {
      const life = startLifetime();
      const object = await kubernetes.get<AWSTargetGroupSet>(AWS_TARGET_GROUP_SET, key);
      if (object === undefined || object.metadata.deletionTimestamp !== undefined) {
        return { isPresent: false, message: 'The AWSTargetGroupSet is gone.' };
      }
      const outcome = await sync(object, key, life);
      life.assert();
      const status = statusOf(object, outcome);
      if (!saysTheSame(status, object.status))
        await report(AWS_TARGET_GROUP_SET, object, status, life.signal);
      return {
        isPresent: true,
        message: status.message ?? '',
        ...given({ againInSeconds: outcome.againInSeconds }),
      };
    },
  };
}

/** Says that the bindings of a template may not use its target group, which each of them says as well. */
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

/** What was seen of a set, and what follows from it. */
interface Look {
  readonly readings: readonly ClusterReading[];
  readonly found: FoundObjects;
  readonly decision: TargetGroupSetDecision;
}

// While the definition of a kind is being deleted, a cluster lists ever fewer objects, and then has the kind no more.
const VANISHED_MILLISECONDS = 10_000;
const MOST_LOOKS = 5;

/** Looks again after a while until the AWSTargetGroups that would go are the same twice; those that are not stay. */
export async function lookUntilSettled<
  T extends { readonly decision: Pick<TargetGroupSetDecision, 'groups'> },
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

interface Outcome {
  readonly clusters: readonly string[];
  readonly targetGroups: number;
  readonly problems: readonly Problem[];
  readonly missing: readonly Missing[];
  readonly againInSeconds?: number | undefined;
}

/** An object that cannot be understood has everything stay as it is. */
const invalid = ({ status = {} }: AWSTargetGroupSet, problems: readonly string[]): Outcome => ({
  clusters: status.clusters?.names ?? [],
  targetGroups: status.targetGroups ?? 0,
  problems: problems.map((message) => ({ reason: 'InvalidObject', message })),
  missing: status.missing ?? [],
});

type FoundBindings = ReturnType<typeof joinBindings>;

/** Reads the TargetGroupBindings of all clusters that a set selects, at once. */
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

async function bindingsIn({ client, namespaces }: ClusterAccess): Promise<FoundBindings> {
  const lists = (namespaces.length === 0 ? [undefined] : namespaces).map((one) => listBindings(client, one));
  return { ...joinBindings((await Promise.all(lists)).flat()), namespaces };
}

function statusOf(
  { metadata, status = {} }: AWSTargetGroupSet,
  { clusters, targetGroups, problems, missing }: Outcome,
) {
  const message = `${targetGroups} AWSTargetGroups of ${clusters.length} clusters.`;
  const at = { generation: metadata.generation ?? 0, time: new Date().toISOString() };
  return {
    ...deriveSyncStatus({ message, problems }, status, at),
    clusters: namesOf(clusters),
    targetGroups,
    ...(missing.length === 0 ? {} : { missing }),
  };
}
