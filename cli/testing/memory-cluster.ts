import { kindOf, type KindRef } from '../../clients/kubernetes/kinds.ts';
import {
  KubernetesError,
  type ApplyOptions,
  type Key,
  type KubernetesClient,
  type ListOptions,
} from '../../clients/kubernetes/kubernetes.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { fieldsIn } from '../../domain/model/fields.ts';

/** An object of the fake cluster. */
export interface FakeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** A Kubernetes API in memory, and what is in it. */
export interface MemoryCluster {
  readonly kubernetes: KubernetesClient;
  readonly objects: () => readonly FakeObject[];
}

const idOf = ({ kind }: KindRef, { namespace = '', name }: Key): string => `${kind} ${namespace}/${name}`;

const refusal = (reason: string): KubernetesError =>
  new KubernetesError({ status: 409, reason, message: reason });

function hasLabels({ metadata }: FakeObject, selector = ''): boolean {
  const terms = selector.split(',').filter((term) => term !== '');
  return terms.every((term) => {
    const [key = '', value] = term.split('=');
    return metadata.labels?.[key] === value;
  });
}

/** Whether an object is of a kind. */
export const isOf = ({ apiVersion, kind }: KindRef, object: FakeObject): boolean =>
  object.apiVersion === apiVersion && object.kind === kind;

/** A JSON merge patch, as the API server applies it. */
function patched(before: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const merged: Record<string, unknown> = { ...fieldsIn(before) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = patched(merged[key], value);
  }
  return merged;
}

const specOf = (object: FakeObject | undefined): string =>
  canonical(object === undefined ? null : (Reflect.get(object, 'spec') ?? null));

/** What happens beside the one who is tested, and what is told of it. */
interface Witness {
  readonly meanwhile?: ((objects: readonly FakeObject[]) => readonly FakeObject[]) | undefined;
  readonly reported?: ((object: FakeObject) => void) | undefined;
}

/** Makes an API that keeps what is written, counts versions and generations, and refuses a write of an older version. */
export function memoryCluster(
  objects: readonly FakeObject[],
  { meanwhile, reported }: Witness = {},
): MemoryCluster {
  const all = new Map(objects.map((object) => [idOf(kindOf(object), object.metadata), object]));
  let version = Math.max(0, ...objects.map(({ metadata }) => Number(metadata.resourceVersion ?? 0)));
  const put = (object: FakeObject): FakeObject => {
    const id = idOf(kindOf(object), object.metadata);
    const before = all.get(id);
    const { generation = 0, resourceVersion, uid = `uid-${object.metadata.name}` } = before?.metadata ?? {};
    const given = object.metadata.resourceVersion;
    if (given !== undefined && given !== resourceVersion) throw refusal('Conflict');
    version += 1;
    const metadata = {
      uid,
      ...object.metadata,
      generation: specOf(before) === specOf(object) && generation > 0 ? generation : generation + 1,
      resourceVersion: String(version),
    };
    const stored = { ...object, metadata };
    all.set(id, stored);
    return stored;
  };
  const letOthersWrite = (): void => {
    for (const object of meanwhile?.([...all.values()]) ?? [])
      all.set(idOf(kindOf(object), object.metadata), object);
  };
  const list = async (
    kind: KindRef,
    { labelSelector, namespace }: ListOptions = {},
  ): Promise<readonly FakeObject[]> => {
    letOthersWrite();
    return [...all.values()].filter(
      (one) =>
        isOf(kind, one) &&
        (namespace === undefined || one.metadata.namespace === namespace) &&
        hasLabels(one, labelSelector),
    );
  };
  const client: Partial<Record<keyof KubernetesClient, unknown>> = {
    get: async (kind: KindRef, key: Key) => {
      if (kind.kind === 'AnalysisRun') letOthersWrite();
      return all.get(idOf(kind, key));
    },
    list,
    snapshot: async (kind: KindRef, options: ListOptions) => ({
      items: await list(kind, options),
      resourceVersion: String(version),
    }),
    serves: async () => true,
    create: async (object: FakeObject) => {
      if (all.has(idOf(kindOf(object), object.metadata))) throw refusal('AlreadyExists');
      return put(object);
    },
    apply: async (object: FakeObject, { subresource }: ApplyOptions = {}) => {
      if (subresource === 'status') reported?.(object);
      const before = all.get(idOf(kindOf(object), object.metadata));
      const annotations = { ...before?.metadata.annotations, ...object.metadata.annotations };
      const metadata = { ...before?.metadata, ...object.metadata, annotations };
      const { resourceVersion: _any, ...unversioned } = metadata;
      return put({
        ...before,
        ...object,
        ...(subresource === undefined || before === undefined
          ? {}
          : { spec: Reflect.get(before, 'spec') as unknown }),
        metadata: object.metadata.resourceVersion === undefined ? unversioned : metadata,
      });
    },
    patch: async (kind: KindRef, key: Key, patch: object) => {
      const { resourceVersion: _any, ...metadata } = all.get(idOf(kind, key))?.metadata ?? {
        resourceVersion: '',
        ...key,
      };
      return put(patched({ ...all.get(idOf(kind, key)), metadata }, patch) as FakeObject);
    },
    delete: async (kind: KindRef, key: Key) => void all.delete(idOf(kind, key)),
  };
  return { kubernetes: client as KubernetesClient, objects: () => [...all.values()] };
}
