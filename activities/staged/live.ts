import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import { KubernetesError, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { PresentObject } from '../../domain/staged/judge.ts';
import type { WorkloadObject } from '../../domain/staged/kubestellar.ts';
import { nameOf } from '../../domain/staged/workload.ts';

/** An object of the workload as it is now. */
export type Live = PresentObject & { readonly generation: number | undefined };

/** Reads an object of the workload; undefined when it may not, or cannot, be read. */
export type LiveReader = (object: WorkloadObject) => Promise<Live | undefined>;

interface Stored {
  readonly metadata: {
    readonly uid?: string;
    readonly generation?: number;
    readonly managedFields?: readonly { readonly time?: string; readonly subresource?: string }[];
  };
}

/** Reads objects of the workload, each once and not too many of them; undefined when one may not, or cannot, be read. */
export function liveReader(client: KubernetesClient, most: number): LiveReader {
  const known = new Map<string, Promise<Live | undefined>>();
  return (object) => {
    const name = nameOf(object);
    const reading =
      known.get(name) ?? (known.size < most ? read(client, object) : Promise.resolve(undefined));
    known.set(name, reading);
    return reading;
  };
}

async function read(client: KubernetesClient, object: WorkloadObject): Promise<Live | undefined> {
  const { group, version, resource, namespace, name } = object;
  const kind: KindRef = {
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind: resource,
    plural: resource,
    namespaced: namespace !== undefined,
  };
  try {
    const found = await client.get<Stored>(kind, { namespace, name });
    const times = (found?.metadata.managedFields ?? [])
      .filter(({ subresource }) => subresource === undefined || subresource === '')
      .map(({ time }) => Date.parse(time ?? ''));
    const { uid, generation } = found?.metadata ?? {};
    if (uid === undefined || times.length === 0 || times.some(Number.isNaN)) return undefined;
    return { uid, generation, editedAt: Math.max(...times) };
  } catch (error) {
    if (error instanceof KubernetesError && error.status > 0 && error.status < 500) return undefined;
    throw error;
  }
}
