import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import { canonical } from '../../../domain/kubernetes/canonical.ts';

/** An object as an API server keeps it. */
interface Kept {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly generation?: number;
    readonly uid?: string;
    readonly ownerReferences?: readonly object[];
  };
  readonly spec?: unknown;
  readonly status?: unknown;
}

interface Key {
  readonly name: string;
  readonly namespace?: string;
}

/** The objects that are kept. */
export interface KeptObjects {
  object(kind: string, key: Key): Kept | undefined;
}

/** Makes a Kubernetes API that keeps what is applied, and counts generations of specs. */
export function kubernetesWith(...objects: readonly Kept[]): {
  readonly kept: KeptObjects;
  readonly kubernetes: KubernetesClient;
} {
  const all = new Map<string, Kept>();
  let writes = 0;
  const idOf = (kind: string, { namespace = '', name }: Key): string => `${kind} ${namespace}/${name}`;
  for (const object of objects) all.set(idOf(object.kind, object.metadata), object);
  const apply = (object: Kept, isStatus: boolean): Kept => {
    const id = idOf(object.kind, object.metadata);
    const before = all.get(id);
    const generation = before?.metadata.generation ?? 0;
    const isSame = isStatus || canonical(before?.spec ?? null) === canonical(object.spec ?? null);
    const after = {
      ...before,
      ...object,
      ...(isStatus ? { spec: before?.spec } : {}),
      metadata: { ...before?.metadata, ...object.metadata, generation: isSame ? generation : generation + 1 },
    };
    writes += 1;
    all.set(id, after);
    return after;
  };
  const list = <T>(kind: string): T[] =>
    // An object of the kind, as it was given.
    [...all.values()].filter((object) => object.kind === kind) as T[];
  const kubernetes: Partial<KubernetesClient> = {
    get: <T>({ kind }: { readonly kind: string }, key: Key) => Promise.resolve(all.get(idOf(kind, key)) as T),
    list: <T>({ kind }: { readonly kind: string }) => Promise.resolve(list<T>(kind)),
    snapshot: <T>({ kind }: { readonly kind: string }) =>
      Promise.resolve({ items: list<T>(kind), resourceVersion: String(writes) }),
    serves: () => Promise.resolve(true),
    apply: <T>(object: T, options: { readonly subresource?: 'status' | undefined } = {}) =>
      Promise.resolve(apply(object as Kept, options.subresource === 'status') as T),
  };
  return {
    kept: { object: (kind, key) => all.get(idOf(kind, key)) },
    kubernetes: kubernetes as KubernetesClient,
  };
}
