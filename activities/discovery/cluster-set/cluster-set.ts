import { accessPolicies } from '../../../clients/kubernetes/access-policies.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import { clusterSet, type ClusterSet, type Generator } from '../../../crds/cluster-set.ts';
import type { Access } from '../../../domain/access/access.ts';
import {
  clusterIdsOf,
  decideClusterSet,
  secretNamesOf,
  type Reading,
  type ClusterSetDecision,
} from '../../../domain/discovery/cluster-set/cluster-set.ts';
import {
  allowedClusters,
  allowedIds,
  generatorRefusal,
} from '../../../domain/discovery/cluster-set/cluster-set-access.ts';
import { earlierOf } from '../../../domain/discovery/missing.ts';
import type { SyncActivities } from '../../contract.ts';
import { reasonOf, toFailure } from '../../failure.ts';
import { type ObjectOwner, inheritFor, ownedBy } from '../../kubernetes/owner-references.ts';
import type { Lifetime } from '../lifetime.ts';
import { createSetSync, readOwned, type Found, planHandover } from '../owned-objects.ts';
import { readGenerator, type ClusterSources } from './cluster-sources.ts';
import { SECRET } from '../../../clients/kubernetes/kinds.ts';
import type { Metadata } from '../../../crds/resource.ts';
import type { ExistingSecret, DesiredSecret } from '../../../domain/discovery/cluster-set/source-reading.ts';
import { patchMarks } from '../../../domain/discovery/generated.ts';
import { CLUSTER_SECRETS } from '../../../domain/kubernetes/labels.ts';
import type { Problem } from '../../../domain/discovery/sync-status.ts';
import { removeAsFound, performWrites } from '../../kubernetes/writes.ts';

interface Secret {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly data?: Readonly<Record<string, string>>;
}

/** A cluster secret, and the version of it that was read. */
export type FoundSecret = ExistingSecret & Found;

/** Reads and writes the cluster secrets of a namespace. */
interface ClusterSecrets {
  /** Finds every cluster secret, and whatever else has one of these names. */
  find(namespace: string, names: readonly string[]): Promise<readonly FoundSecret[]>;
  /** Carries a decision out; what cannot be written is a problem, and holds nothing else up. */
  perform(
    sync: { readonly owner: ObjectOwner; readonly life: Lifetime },
    decision: ClusterSetDecision,
    found: readonly FoundSecret[],
  ): Promise<readonly Problem[]>;
}

/** Makes what reads and writes cluster secrets. */
export function createClusterSecrets(kubernetes: KubernetesClient): ClusterSecrets {
  return {
    async find(namespace, names) {
      const listed = await kubernetes.list<Secret>(SECRET, { namespace, labelSelector: CLUSTER_SECRETS });
      const known = new Set(listed.map(({ metadata }) => metadata.name));
      const others = await Promise.all(
        [...new Set(names)]
          .filter((name) => !known.has(name))
          .map((name) => kubernetes.get<Secret>(SECRET, { namespace, name })),
      );
      return [...listed, ...others.filter((one) => one !== undefined)].map(existing);
    },
    async perform({ owner, life }, decision, found) {
      const { namespace } = owner.key;
      const about = (name: string, cluster = name) => ({
        object: { kind: SECRET.kind, name },
        cluster,
      });
      const means = { kubernetes, owner, ownerKind: 'ClusterSet', kind: SECRET, found };
      const gone = new Set(decision.delete.map(({ uid }) => uid));
      const writes = [
        ...planHandover(decision.handover, means),
        ...decision.create.map((wanted) => ({
          ...about(wanted.name, wanted.content.name),
          run: () => kubernetes.create(secretOf(owner, wanted)),
        })),
        ...decision.update.map((wanted) => ({
          ...about(wanted.name, wanted.content.name),
          run: () => update(kubernetes, owner, { wanted, found }),
        })),
        ...found
          .filter(({ uid }) => gone.has(uid))
          .map((secret) => ({
            ...about(secret.name),
            run: () =>
              removeAsFound(kubernetes, { kind: SECRET, key: { namespace, name: secret.name } }, secret),
          })),
      ];
      return await performWrites(writes, life);
    },
  };
}

async function update(
  kubernetes: KubernetesClient,
  owner: ObjectOwner,
  { wanted, found }: { readonly wanted: DesiredSecret; readonly found: readonly FoundSecret[] },
): Promise<void> {
  const before = found.find(({ name }) => name === wanted.name);
  if (before === undefined) return;
  const { resourceVersion } = before;
  const patch = {
    metadata: {
      ...patchMarks(before, wanted),
      resourceVersion,
      ...(before.isInherited
        ? { ownerReferences: inheritFor('ClusterSet', owner, before.ownerReferences) }
        : {}),
    },
    data: encodeData(wanted.content),
  };
  await kubernetes.patch(SECRET, { namespace: owner.key.namespace, name: wanted.name }, patch);
}

function secretOf({ key, uid }: ObjectOwner, { name, labels, annotations, content }: DesiredSecret) {
  return {
    apiVersion: SECRET.apiVersion,
    kind: SECRET.kind,
    metadata: {
      namespace: key.namespace,
      name,
      labels,
      annotations,
      ownerReferences: ownedBy('ClusterSet', { key, uid }),
    },
    type: 'Opaque',
    data: encodeData(Object.fromEntries(Object.entries(content).filter(([, value]) => value !== ''))),
  };
}

function existing({ metadata, data = {} }: Secret): FoundSecret {
  const content = Object.entries(data).map(([key, value]) => [
    key,
    Buffer.from(value, 'base64').toString('utf8'),
  ]);
  return { ...readOwned(metadata), content: Object.fromEntries(content) };
}

/** The data of a Secret; in a patch, what is empty goes. */
export const encodeData = (
  content: Readonly<Record<string, string>>,
): Readonly<Record<string, string | null>> =>
  Object.fromEntries(
    Object.entries(content).map(([key, value]) => [
      key,
      value === '' ? null : Buffer.from(value).toString('base64'),
    ]),
  );

/** What the activities of ClusterSets are made of. */
interface ClusterSetDependencies {
  readonly kubernetes: KubernetesClient;
  readonly sources: ClusterSources;
  readonly graceSeconds: number;
}

/** Makes the activities of ClusterSets. */
export function clusterSetActivities({
  kubernetes,
  sources,
  graceSeconds,
}: ClusterSetDependencies): Pick<SyncActivities, 'syncClusterSet'> {
  const secrets = createClusterSecrets(kubernetes);
  return {
    syncClusterSet: createSetSync({
      kubernetes,
      kind: clusterSet,
      async sync(spec, { object, owner, life }: { object: ClusterSet; owner: ObjectOwner; life: Lifetime }) {
        const { signal } = life;
        const { key, uid } = owner;
        const known = clusterIdsOf(uid, await secrets.find(key.namespace, []));
        const access = await accessPolicies(kubernetes).of(key.namespace, signal);
        const askable = allowedIds(known, access);
        const answers = await Promise.all(
          spec.generators.map((generator, index) =>
            read(sources, generator, { index, signal, known: askable, access }),
          ),
        );
        const { readings, problems: refused } = allowedClusters(spec.generators, answers, { access, known });
        const grace = { before: object.status?.missing ?? [], now: Date.now(), seconds: graceSeconds };
        // What is not selected is nobody's business here: an account may have hundreds of other clusters.
        const found = await secrets.find(key.namespace, secretNamesOf(spec, readings));
        const decision = decideClusterSet({ uid, spec, readings, secrets: found, grace });
        const failures = await secrets.perform({ owner, life }, decision, found);
        const failed = new Set(failures.map(({ cluster }) => cluster));
        return {
          names: decision.names.filter((name) => !failed.has(name)),
          waiting: decision.waiting,
          missing: decision.missed.missing,
          againInSeconds: earlierOf(
            decision.missed.againInSeconds,
            decision.isFreed ? FREED_AGAIN_SECONDS : undefined,
          ),
          problems: [...refused, ...decision.problems, ...failures],
        };
      },
      summarize: ({ names }) => `${names.length} clusters have a secret.`,
    }),
  };
}

// Kubernetes needs a moment to delete a secret; the cluster that is to have its name need not wait for the interval.
const FREED_AGAIN_SECONDS = 15;

/** Reads what a generator asks for; what cannot be read is a problem, and no reason to delete anything. */
async function read(
  sources: ClusterSources,
  generator: Generator,
  {
    index,
    signal,
    known,
    access,
  }: {
    readonly index: number;
    readonly signal: AbortSignal;
    readonly known: readonly string[];
    readonly access: Access | undefined;
  },
): Promise<Reading> {
  const failed = (reason: string, message: string): Reading => ({
    clusters: [],
    places: [],
    unread: [],
    failures: [{ object: `spec.generators[${index}]`, reason, message }],
  });
  const refusal = generatorRefusal(generator, access);
  if (refusal !== undefined) return failed('NotAllowed', `${refusal} Nothing is deleted in the meantime.`);
  try {
    return { ...(await readGenerator(sources, generator, { signal, known })), failures: [] };
  } catch (error) {
    signal.throwIfAborted();
    const cause = toFailure(error);
    return failed(
      reasonOf(cause),
      `Cannot read the clusters of spec.generators[${index}]: ${cause.message} Retrying; nothing is deleted in the meantime.`,
    );
  }
}
