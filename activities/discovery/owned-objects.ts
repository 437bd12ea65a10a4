import type { AWSTargetGroupSetStatus } from '../../crds/aws-target-group-set.ts';
import type { Definition, Metadata, Resource, ResourceKind, SpecOf } from '../../crds/resource.ts';
import { controllerOf } from '../../domain/kubernetes/conditions.ts';
import {
  type Changes,
  type JsonObject,
  type Marks,
  mergePatch,
  patchMarks,
} from '../../domain/discovery/generated.ts';
import { API_VERSION, GENERATED_ANNOTATION } from '../../domain/kubernetes/labels.ts';
import { claimFor, inheritFor, ownedBy, releaseFrom } from '../kubernetes/owner-references.ts';
import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { removeAsFound, type Write } from '../kubernetes/writes.ts';
import type { Grace, Missing } from '../../domain/discovery/missing.ts';
import type { ObjectKey, ObjectRef } from '../../domain/model/ids.ts';
import { deriveSyncStatus, namesOf, saysTheSame, type Problem } from '../../domain/discovery/sync-status.ts';
import { given } from '../../domain/model/fields.ts';
import { cut } from '../../domain/text.ts';
import type { Synced } from '../contract.ts';
import { createReadReporter } from '../kubernetes/status-reporter.ts';
import { startLifetime, type Lifetime } from './lifetime.ts';

/** Of an object that there is, what decides about those that are generated. */
export type Found = ReturnType<typeof readOwned>;

const SETS: readonly string[] = ['ClusterSet', 'AWSTargetGroupSet'];

/** Reads it off the metadata of an object. */
export function readOwned(metadata: Metadata) {
  const { name, uid = '', resourceVersion = '', labels = {}, annotations = {} } = metadata;
  const { ownerReferences = [] } = metadata;
  const controller = controllerOf(metadata);
  // What a set has made, and only that, is inherited by the next one.
  const heir =
    GENERATED_ANNOTATION in annotations
      ? ownerReferences.find((one) => one.apiVersion === API_VERSION && SETS.includes(one.kind))
      : undefined;
  const owner = controller ?? heir;
  return {
    name,
    uid,
    resourceVersion,
    labels,
    annotations,
    ownerReferences,
    heirs: ownerReferences.filter((one) => one !== owner).map((one) => one.uid),
    isInherited: controller === undefined && heir !== undefined,
    owner: owner && { uid: owner.uid, name: owner.name, kind: owner.kind },
  };
}

interface SetWrites<Wanted> {
  readonly kubernetes: KubernetesClient;
  readonly owner: ObjectRef;
  readonly ownerKind: string;
  readonly kind: KindRef;
  readonly found: readonly (Found & Wanted)[];
  readonly bodyOf: (one: Wanted) => JsonObject;
  readonly clusterOf?: (one: Wanted) => string;
}

/** Plans the writes of a set: an object that was changed meanwhile is left to the next look. */
export function planWrites<Wanted extends Marks & { readonly name: string }>(
  changes: Changes<Wanted>,
  { kubernetes, owner, ownerKind, kind, found, bodyOf, clusterOf }: SetWrites<Wanted>,
): readonly Write[] {
  const keyOf = (name: string): ObjectKey => ({ namespace: owner.key.namespace, name });
  const write = <One extends Wanted>(some: readonly One[], run: (one: One) => Promise<unknown>): Write[] =>
    some.map((one) => ({
      object: { kind: kind.kind, name: one.name },
      ...given({ cluster: clusterOf?.(one) }),
      run: () => run(one),
    }));
  const foundAmong = (names: readonly string[]) => found.filter(({ name }) => names.includes(name));
  const patch = ({ name, resourceVersion }: Found, metadata: object, body: object = {}): Promise<unknown> =>
    kubernetes.patch(kind, keyOf(name), { metadata: { ...metadata, resourceVersion }, ...body });
  const gone = new Set(changes.delete.map(({ uid }) => uid));
  const wanted = new Map(changes.update.map((one) => [one.name, one]));
  return [
    ...write(foundAmong(changes.claim), (one) =>
      patch(one, { ownerReferences: claimFor(ownerKind, owner, one.ownerReferences) }),
    ),
    ...write(foundAmong(changes.release), (one) =>
      patch(one, { ownerReferences: releaseFrom(owner, one.ownerReferences) }),
    ),
    ...write(changes.create, (one) => {
      const { apiVersion, kind: name } = kind;
      const { labels, annotations } = one;
      const metadata = {
        ...keyOf(one.name),
        labels,
        annotations,
        ownerReferences: ownedBy(ownerKind, owner),
      };
      return kubernetes.create({ apiVersion, kind: name, metadata, ...bodyOf(one) });
    }),
    ...write(foundAmong([...wanted.keys()]), (one) => {
      const now = wanted.get(one.name) ?? one;
      const ownerReferences = one.isInherited ? inheritFor(ownerKind, owner, one.ownerReferences) : undefined;
      return patch(
        one,
        { ...patchMarks(one, now), ...given({ ownerReferences }) },
        mergePatch(bodyOf(one), bodyOf(now)),
      );
    }),
    ...write(
      found.filter(({ uid }) => gone.has(uid)),
      (one) => removeAsFound(kubernetes, { kind, key: keyOf(one.name) }, one),
    ),
  ];
}

/** A ClusterSet or an AWSTargetGroupSet: what is reported of the one is part of what is of the other. */
type SetObject = Resource<unknown, AWSTargetGroupSetStatus>;

interface SetOutcome {
  readonly names: readonly string[];
  readonly targetGroups?: number | undefined;
  readonly missing: readonly Missing[];
  readonly problems: readonly Problem[];
  readonly waiting?: readonly string[];
  readonly againInSeconds?: number | undefined;
}

interface SetSync<Of extends Definition> {
  readonly kubernetes: KubernetesClient;
  readonly kind: ResourceKind<Of>;
  readonly graceSeconds: number;
  readonly sync: (
    spec: SpecOf<Of>,
    of: { readonly owner: ObjectRef; readonly life: Lifetime; readonly grace: () => Grace },
  ) => Promise<SetOutcome>;
  readonly summarize: (outcome: SetOutcome) => string;
}

/** Makes an activity that syncs sets of a kind and reports on them; an invalid one has everything stay as it is. */
export function createSetSync<Of extends Definition>({
  kubernetes,
  kind,
  graceSeconds,
  sync,
  summarize,
}: SetSync<Of>): (key: ObjectKey) => Promise<Synced> {
  const report = createReadReporter(kubernetes);
  return async (key) => {
    const life = startLifetime();
    const object = await kubernetes.get<SetObject>(kind, key);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined)
      return { isPresent: false, message: `The ${kind.kind} is gone.` };
    const { metadata, status: before = {} } = object;
    const parsed = kind.parseSpec(object.spec);
    const grace = (): Grace => ({ before: before.missing ?? [], now: Date.now(), seconds: graceSeconds });
    const outcome: SetOutcome = parsed.ok
      ? await sync(parsed.value, { owner: { key, uid: metadata.uid ?? '' }, life, grace })
      : {
          names: before.clusters?.names ?? [],
          targetGroups: before.targetGroups,
          missing: before.missing ?? [],
          problems: parsed.problems.map((message) => ({ reason: 'InvalidObject', message })),
        };
    life.assert();
    const { names, targetGroups, missing, problems, waiting = [], againInSeconds } = outcome;
    const message = cut([summarize(outcome), ...waiting.map((one) => `${one}.`)].join(' '), 2048);
    const at = { generation: metadata.generation ?? 0, time: new Date().toISOString() };
    const status = {
      ...deriveSyncStatus({ message, problems }, before, at),
      clusters: namesOf(names),
      ...given({ targetGroups, missing: missing.length === 0 ? undefined : missing }),
    };
    if (!saysTheSame(status, before)) await report(kind, object, status, life.signal);
    return { isPresent: true, message: status.message ?? '', ...given({ againInSeconds }) };
  };
}
