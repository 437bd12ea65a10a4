import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { SnapshotOptions } from '../../clients/kubernetes/kubernetes-list.ts';
import { fieldsIn, type Fields } from '../../domain/model/shape.ts';
import { identityOf } from './manifests.ts';
import { staysPinned } from './stays-pinned.ts';

/** How objects are read, which is all that a plan does. */
export type Reader = Pick<KubernetesClient, 'get' | 'list' | 'serves'>;

/** A cluster without objects, for plans that ask none. */
export const emptyCluster: Reader = {
  get: () => Promise.resolve(undefined),
  list: () => Promise.resolve([]),
  serves: () => Promise.resolve(true),
};

/** The last manifest of each object, which is the one that counts when all are applied one after the other. */
export function lastOfEach(objects: readonly Fields[], defaultNamespace: string): readonly Fields[] {
  const idOf = (object: Fields): string => {
    const { apiVersion, kind, name, namespace = defaultNamespace } = identityOf(object);
    return JSON.stringify([apiVersion, kind, namespace, name]);
  };
  return [...new Map(objects.map((object) => [idOf(object), object])).values()];
}

/** Reads a cluster as it would be with some objects applied to it; nothing is written. */
export function withApplied(cluster: Reader, objects: readonly Fields[], defaultNamespace: string): Reader {
  const namespaceOf = (object: Fields): string => identityOf(object).namespace ?? defaultNamespace;
  const isOf =
    ({ apiVersion, kind }: KindRef) =>
    (object: Fields): boolean =>
      object['apiVersion'] === apiVersion && object['kind'] === kind;
  const sameKey = (a: Fields, b: Fields, { namespaced }: KindRef): boolean =>
    identityOf(a).name === identityOf(b).name && (!namespaced || namespaceOf(a) === namespaceOf(b));
  return {
    serves: (kind) => cluster.serves(kind),
    async get<T>(kind: KindRef, key: Parameters<Reader['get']>[1]): Promise<T | undefined> {
      const wanted = { metadata: key };
      const applied = objects.filter(isOf(kind)).find((object) => sameKey(object, wanted, kind));
      const before = await cluster.get<Fields>(kind, key);
      return (applied === undefined ? before : applyTo(before, applied, kind, namespaceOf(applied))) as
        T | undefined;
    },
    async list<T>(kind: KindRef, options: SnapshotOptions<T> = {}): Promise<T[]> {
      const before = await cluster.list<Fields>(kind, { ...options, trim: undefined, measured: undefined });
      const applied = objects
        .filter(isOf(kind))
        .filter(
          (object) =>
            options.namespace === undefined || !kind.namespaced || namespaceOf(object) === options.namespace,
        );
      const left = before.filter((object) => !applied.some((one) => sameKey(one, object, kind)));
      const next = applied.map((object) =>
        applyTo(
          before.find((one) => sameKey(one, object, kind)),
          object,
          kind,
          namespaceOf(object),
        ),
      );
      // An object of the kind, as the API server would have it.
      return [...left, ...next] as T[];
    },
  };
}

// oxlint-disable-next-line max-params -- what an apply is made of
function applyTo(
  before: Fields | undefined,
  object: Fields,
  { namespaced }: KindRef,
  namespace: string,
): Fields {
  const metadata = fieldsIn(before?.['metadata']);
  const generation = typeof metadata['generation'] === 'number' ? metadata['generation'] + 1 : 1;
  return {
    ...object,
    ...(staysPinned(before, object)
      ? { spec: { ...specOf(object), version: specOf(before)['version'] } }
      : {}),
    metadata: {
      uid: 'planned',
      ...metadata,
      ...fieldsIn(object['metadata']),
      ...(namespaced ? { namespace } : {}),
      generation,
    },
    // A manifest says nothing of it, whatever stands there.
    ...(before?.['status'] === undefined ? { status: undefined } : { status: before['status'] }),
  };
}

const specOf = (object: Fields | undefined): Fields => fieldsIn(object?.['spec']);
