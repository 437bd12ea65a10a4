import { setTimeout as wait } from 'node:timers/promises';
import { accessPolicies } from '../../../clients/kubernetes/access-policies.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import {
  awsTargetGroupSet,
  type AWSTargetGroupSet,
  type AWSTargetGroupSetSpec,
} from '../../../crds/aws-target-group-set.ts';
import { refusalOf } from '../../../domain/access/access.ts';
import { compareText, canonical } from '../../../domain/kubernetes/canonical.ts';
import {
  joinBindings,
  type ClusterReading,
  type ExistingBinding,
  type ExistingGroup,
} from '../../../domain/discovery/target-group-set/observed-target-group-set.ts';
import type { ObjectKey } from '../../../domain/model/ids.ts';
import { setLooksInto } from '../../../domain/discovery/target-group-set/looks-into.ts';
import type { Problem } from '../../../domain/discovery/sync-status.ts';
import { earlierOf } from '../../../domain/discovery/missing.ts';
import { retryUnreadInSeconds, type ClusterAccess, type ClusterReader } from '../clusters/reader.ts';
import { listBindings } from '../clusters/target-group-bindings.ts';
import type { SyncActivities } from '../../contract.ts';
import { type ObjectOwner, inheritFor, ownedBy } from '../../kubernetes/owner-references.ts';
import type { Lifetime } from '../lifetime.ts';
import { createSetSync, readOwned, type Found, planHandover } from '../owned-objects.ts';
import {
  decideTargetGroupSet,
  type TargetGroupSetDecision,
  type Changes,
} from '../../../domain/discovery/target-group-set/target-group-set.ts';
import {
  AWS_TARGET_GROUP,
  AWS_TARGET_GROUP_BINDING,
  type KindRef,
} from '../../../clients/kubernetes/kinds.ts';
import type { AWSTargetGroup } from '../../../crds/aws-target-group.ts';
import { awsTargetGroupBinding, type AWSTargetGroupBinding } from '../../../crds/aws-target-group-binding.ts';
import { patchMarks, type Marks, mergePatch } from '../../../domain/discovery/generated.ts';
import { namedARN } from '../../../domain/model/target-group.ts';
import { removeAsFound, performWrites, type Write } from '../../kubernetes/writes.ts';

/** The AWSTargetGroups and AWSTargetGroupBindings of a namespace, and the version of each that was read. */
interface FoundObjects {
  readonly groups: readonly (ExistingGroup & Found)[];
  readonly bindings: readonly (ExistingBinding & Found)[];
}

/** Reads and writes the objects that AWSTargetGroupSets make. */
interface TargetGroupObjects {
  find(namespace: string): Promise<FoundObjects>;
  /** Carries a decision out; what cannot be written is a problem, and holds nothing else up. */
  perform(
    sync: { readonly owner: ObjectOwner; readonly life: Lifetime },
    decision: TargetGroupSetDecision,
    found: FoundObjects,
  ): Promise<readonly Problem[]>;
}

/** Makes what reads and writes the objects of AWSTargetGroupSets. */
function createTargetGroupObjects(kubernetes: KubernetesClient): TargetGroupObjects {
  return {
    async find(namespace) {
      const [groups, bindings] = await Promise.all([
        kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace }),
        kubernetes.list<AWSTargetGroupBinding>(AWS_TARGET_GROUP_BINDING, { namespace }),
      ]);
      return {
        groups: groups.map((group) => ({ ...readOwned(group.metadata), arn: namedARN(group) ?? '' })),
        bindings: bindings.map(existingBinding),
      };
    },
    async perform({ owner, life }, { groups, bindings, handover }, found) {
      const means = { kubernetes, owner, ownerKind: SET };
      const specOf = (spec: string): Parameters<typeof mergePatch>[0] => JSON.parse(spec);
      const writes = [
        ...planHandover(handover.bindings, {
          ...means,
          kind: AWS_TARGET_GROUP_BINDING,
          found: found.bindings,
        }),
        ...planHandover(handover.groups, { ...means, kind: AWS_TARGET_GROUP, found: found.groups }),
        ...writesOf(bindings, {
          ...means,
          kind: AWS_TARGET_GROUP_BINDING,
          found: found.bindings.map((one) => ({ ...one, content: specOf(one.spec) })),
          content: ({ spec }) => specOf(spec),
        }),
        ...writesOf(groups, {
          ...means,
          kind: AWS_TARGET_GROUP,
          found: found.groups.map((one) => ({ ...one, content: { arn: one.arn } })),
          content: ({ arn }) => ({ arn }),
        }),
      ];
      return await performWrites(writes, life);
    },
  };
}

const SET = 'AWSTargetGroupSet';

type Content = Parameters<typeof mergePatch>[0];

interface Dependencies<Wanted> {
  readonly kubernetes: KubernetesClient;
  readonly owner: ObjectOwner;
  readonly kind: KindRef;
  readonly found: readonly (Found & { readonly content: Content })[];
  readonly content: (wanted: Wanted) => Content;
}

function writesOf<Wanted extends Marks & { readonly name: string }>(
  changes: Changes<Wanted>,
  { kubernetes, owner, kind, found, content }: Dependencies<Wanted>,
): readonly Write[] {
  const before = new Map(found.map((one) => [one.name, one]));
  const keyOf = (name: string): ObjectKey => ({ namespace: owner.key.namespace, name });
  const about = (name: string) => ({ object: { kind: kind.kind, name } });
  const gone = new Set(changes.delete.map(({ uid }) => uid));
  return [
    ...found
      .filter(({ uid }) => gone.has(uid))
      .map((one) => ({
        ...about(one.name),
        run: () => removeAsFound(kubernetes, { kind, key: keyOf(one.name) }, one),
      })),
    ...changes.create.map((wanted) => ({
      ...about(wanted.name),
      run: () =>
        kubernetes.create({
          apiVersion: kind.apiVersion,
          kind: kind.kind,
          metadata: {
            ...keyOf(wanted.name),
            labels: wanted.labels,
            annotations: wanted.annotations,
            ownerReferences: ownedBy(SET, owner),
          },
          spec: content(wanted),
        }),
    })),
    ...changes.update.flatMap((wanted) => {
      const old = before.get(wanted.name);
      if (old === undefined) return [];
      const { resourceVersion, isInherited, ownerReferences: owners } = old;
      const inherited = isInherited ? { ownerReferences: inheritFor(SET, owner, owners) } : {};
      const metadata = { ...patchMarks(old, wanted), resourceVersion, ...inherited };
      const spec = mergePatch(old.content, content(wanted));
      return [
        { ...about(wanted.name), run: () => kubernetes.patch(kind, keyOf(wanted.name), { metadata, spec }) },
      ];
    }),
  ];
}

function existingBinding({
  metadata,
  spec,
  status,
}: AWSTargetGroupBinding): FoundObjects['bindings'][number] {
  const parsed = awsTargetGroupBinding.parseSpec(spec);
  return {
    ...readOwned(metadata),
    // One that is not as the schema has it differs from all that is wanted, and is made good.
    spec: canonical(parsed.ok ? parsed.value : spec),
    arn: status?.targetGroupARN,
    isDeleting: metadata.deletionTimestamp !== undefined,
  };
}

/** What the activities of AWSTargetGroupSets are made of. */
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
  const objects = createTargetGroupObjects(kubernetes);
  return {
    syncTargetGroupSet: createSetSync({
      kubernetes,
      kind: awsTargetGroupSet,
      async sync(
        spec,
        { object, owner, life }: { object: AWSTargetGroupSet; owner: ObjectOwner; life: Lifetime },
      ) {
        const { key, uid } = owner;
        const look = async (): Promise<Look> => {
          const [readings, found] = await Promise.all([
            readClusters(reader, spec, key.namespace),
            objects.find(key.namespace),
          ]);
          const grace = { before: object.status?.missing ?? [], now: Date.now(), seconds: graceSeconds };
          const observed = { uid, name: key.name, spec, ...found, readings, grace };
          return { readings, found, decision: decideTargetGroupSet(observed) };
        };
        const { readings, found, decision } = await lookUntilSettled(look, () =>
          wait(VANISHED_MILLISECONDS, undefined, { signal: life.signal }),
        );
        const own = found.groups.filter((group) => group.owner?.uid === uid);
        const failures = await objects.perform({ owner, life }, decision, found);
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
  return { ...joinBindings(await listBindings(client, namespaces)), namespaces };
}
