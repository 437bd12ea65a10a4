import type { KindRef } from '../../../clients/kubernetes/kinds.ts';
import {
  KubernetesError,
  type Identified,
  type Key,
  type KubernetesClient,
} from '../../../clients/kubernetes/kubernetes.ts';
import { isRecord } from '../../../domain/model/fields.ts';

interface Stored extends Identified {
  readonly metadata: Identified['metadata'] & {
    readonly uid: string;
    readonly generation: number;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[] | null;
    readonly ownerReferences?: readonly { readonly uid: string }[];
    readonly managedFields: readonly {
      readonly manager: string;
      readonly time: string;
      readonly subresource?: string;
    }[];
  };
  readonly spec?: unknown;
}

/** A Kubernetes API in memory, as far as the activities of StagedBindingPolicies use one; time is what the test says. */
export class MemoryKubernetes {
  now = Date.parse('2026-11-22T08:00:00Z');
  /** Told of each object that is read. */
  onGet: (kind: KindRef, key: Key) => void = () => undefined;
  readonly #objects = new Map<string, Stored>();
  #version = 0;

  /** The client of this API. */
  get client(): KubernetesClient {
    return this.clientOf('okra');
  }

  /** A client of this API whose writes belong to a field manager. */
  clientOf(manager: string): KubernetesClient {
    const fake: Pick<KubernetesClient, 'get' | 'list' | 'serves' | 'apply' | 'create' | 'patch' | 'delete'> =
      {
        serves: async () => true,
        get: async <T>(kind: KindRef, key: Key) => {
          this.onGet(kind, key);
          return this.#objects.get(pathOf(kind, key)) as T | undefined;
        },
        list: async <T>(kind: KindRef, { labelSelector = '' }: { labelSelector?: string | undefined } = {}) =>
          [...this.#objects.entries()].flatMap(([path, object]) =>
            path.startsWith(`${kind.apiVersion} ${kind.plural} `) && isSelected(object, labelSelector)
              ? [object as T]
              : [],
          ),
        apply: async <T extends Identified>(
          object: T,
          options: { subresource?: 'status' | undefined } = {},
        ) => this.#write(object, { manager, ...options }) as unknown as T,
        create: async <T extends Identified>(object: T) => {
          if (this.#objects.has(this.#path(object)))
            throw new KubernetesError({ status: 409, reason: 'AlreadyExists', message: 'exists' });
          return this.#write(object, { manager }) as unknown as T;
        },
        patch: async <T>(
          kind: KindRef,
          key: Key,
          patch: object,
          options: { subresource?: 'status' | undefined } = {},
        ) => {
          const { apiVersion, kind: of } = kind;
          const metadata =
            isRecord(patch) && 'metadata' in patch && isRecord(patch.metadata) ? patch.metadata : {};
          return this.#write(
            { apiVersion, kind: of, ...patch, metadata: { ...metadata, ...nameIn(key) } },
            { manager, ...options },
          ) as T;
        },
        delete: async (kind: KindRef, key: Key, { uid }: { uid?: string | undefined } = {}) => {
          const path = pathOf(kind, key);
          if (uid === undefined || this.#objects.get(path)?.metadata.uid === uid) this.#remove(path);
        },
      };
    return fake as KubernetesClient;
  }

  #path({ apiVersion, kind, metadata }: Identified): string {
    return pathOf(
      {
        apiVersion,
        kind,
        plural: plurals[kind] ?? `${kind.toLowerCase()}s`,
        namespaced: metadata.namespace !== undefined,
      },
      metadata,
    );
  }

  /** Removes an object and what it owns, as Kubernetes does: what has finalizers stays until they are gone. */
  #remove(path: string): void {
    const object = this.#objects.get(path);
    if (object === undefined) return;
    const { metadata } = object;
    if ((metadata.finalizers ?? []).length > 0) {
      const deletionTimestamp = new Date(this.now).toISOString();
      this.#objects.set(path, { ...object, metadata: { ...metadata, deletionTimestamp } });
      return;
    }
    this.#objects.delete(path);
    for (const [other, { metadata: owned }] of this.#objects)
      if (owned.ownerReferences?.some(({ uid }) => uid === metadata.uid) === true) this.#remove(other);
  }

  #write(
    object: Identified & { readonly spec?: unknown },
    { manager, subresource }: { readonly manager: string; readonly subresource?: 'status' | undefined },
  ): Stored {
    const path = this.#path(object);
    const before = this.#objects.get(path);
    this.#version += 1;
    const isEdit =
      subresource === undefined &&
      JSON.stringify(before?.spec) !== JSON.stringify(object.spec ?? before?.spec);
    const field = {
      manager,
      time: new Date(this.now).toISOString(),
      ...(subresource === undefined ? {} : { subresource }),
    };
    const stored: Stored = {
      ...before,
      ...object,
      metadata: {
        ...before?.metadata,
        ...object.metadata,
        uid: before?.metadata.uid ?? `uid-${this.#version}`,
        generation: (before?.metadata.generation ?? 0) + (isEdit || before === undefined ? 1 : 0),
        resourceVersion: String(this.#version),
        managedFields: [
          ...(before?.metadata.managedFields ?? []).filter(
            (one) => one.manager !== manager || one.subresource !== subresource,
          ),
          field,
        ],
      },
    };
    this.#objects.set(path, stored);
    if (stored.metadata.deletionTimestamp !== undefined && before?.metadata.finalizers !== undefined)
      this.#remove(path);
    return stored;
  }
}

const plurals: Readonly<Record<string, string>> = {
  StagedBindingPolicy: 'stagedbindingpolicies',
  BindingPolicy: 'bindingpolicies',
  CombinedStatus: 'combinedstatuses',
};

const nameIn = ({ namespace, name }: Key): Key => (namespace === undefined ? { name } : { namespace, name });

const pathOf = ({ apiVersion, plural, namespaced }: KindRef, { namespace = '', name }: Key): string =>
  `${apiVersion} ${plural} ${namespaced ? namespace : ''}/${name}`;

function isSelected({ metadata: { labels = {} } }: Stored, selector: string): boolean {
  const [key = '', value] = selector.split('=');
  if (key === '') return true;
  return value === undefined ? key in labels : labels[key] === value;
}
