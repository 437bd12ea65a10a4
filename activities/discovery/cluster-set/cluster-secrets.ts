import { SECRET } from '../../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import type { Metadata } from '../../../crds/resource.ts';
import type { ClusterSetDecision } from '../../../domain/discovery/cluster-set/cluster-set.ts';
import type { ExistingSecret, DesiredSecret } from '../../../domain/discovery/cluster-set/source-reading.ts';
import { patchMarks } from '../../../domain/discovery/generated.ts';
import { CLUSTER_SECRETS } from '../../../domain/kubernetes/labels.ts';
import type { Problem } from '../../../domain/discovery/sync-status.ts';
import { readOwned, type Found, planHandover } from '../owned-objects.ts';
import type { Lifetime } from '../lifetime.ts';
import { inheritFor, ownedBy, type ObjectOwner } from '../../kubernetes/owner-references.ts';
import { removeAsFound } from '../../kubernetes/remove.ts';
import { performWrites } from '../../kubernetes/writes.ts';

interface Secret {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly data?: Readonly<Record<string, string>>;
}

/** A cluster secret, and the version of it that was read. */
export type FoundSecret = ExistingSecret & Found;

/** Reads and writes the cluster secrets of a namespace. */
export interface ClusterSecrets {
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
