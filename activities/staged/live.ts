import { digest } from '../../clients/digest.ts';
import type { KindRef } from '../../clients/kubernetes/kinds.ts';
import { KubernetesError, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { keepNewest } from '../../clients/newest.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import type { PresentObject } from '../../domain/staged/judge.ts';
import { STATUS_MANAGER, type WorkloadObject } from '../../domain/staged/kubestellar.ts';
import { isCopiedBack, formatObject } from '../../domain/staged/workload.ts';

/** An object of the workload as it is now. */
export interface Live extends PresentObject {
  /** Its generation, or a digest of its content: changes with an edit, not with a report. */
  readonly edition: number | string;
}

/** Reads an object of the workload; undefined when it may not, or cannot, be read. */
export type LiveReader = (object: WorkloadObject) => Promise<Live | undefined>;

interface Stored {
  readonly metadata: {
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly generation?: number;
    readonly managedFields?: readonly {
      readonly manager?: string;
      readonly time?: string;
      readonly subresource?: string;
    }[];
  };
}

/** What objects of workloads were when they were read last, by their BindingPolicies and names. */
export type LiveMemory = Map<string, Remembered>;

interface Remembered {
  readonly resourceVersion: string | undefined;
  readonly live: Live;
}

// More than a Binding has room for, which is one object of etcd.
const MOST_REMEMBERED = 20_000;

// So many objects are read at most with one look; the others wait for their clusters to report.
const MOST_READ = 100;

/**
 * Reads objects of a workload, each once and not too many of them; undefined when one may not, or cannot, be read. Those that
 * reports are copied back to are read however many there are, but for those that are known to be as they were.
 */
export function createLiveReader(
  client: KubernetesClient,
  { policy, memory }: { readonly policy: { readonly uid: string }; readonly memory: LiveMemory },
): LiveReader {
  const known = new Map<string, Promise<Live | undefined>>();

  async function readNow(object: WorkloadObject, key: string): Promise<Live | undefined> {
    const found = await read(client, object);
    memory.delete(key);
    if (found === undefined) return undefined;
    memory.set(key, found);
    keepNewest(memory, MOST_REMEMBERED);
    return found.live;
  }

  async function readBeyond(object: WorkloadObject, key: string): Promise<Live | undefined> {
    if (!isCopiedBack(object)) return undefined;
    const before = memory.get(key);
    return before?.resourceVersion === object.resourceVersion ? before.live : await readNow(object, key);
  }

  return (object) => {
    const name = formatObject(object);
    const key = `${policy.uid} ${name}`;
    const reading =
      known.get(name) ?? (known.size < MOST_READ ? readNow(object, key) : readBeyond(object, key));
    known.set(name, reading);
    return reading;
  };
}

async function read(client: KubernetesClient, object: WorkloadObject): Promise<Remembered | undefined> {
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
      .filter(({ subresource = '', manager }) => subresource === '' && manager !== STATUS_MANAGER)
      .map(({ time }) => Date.parse(time ?? ''));
    const { uid, resourceVersion, generation = editionOf(found) } = found?.metadata ?? {};
    if (uid === undefined || times.length === 0 || times.some(Number.isNaN)) return undefined;
    return { resourceVersion, live: { uid, edition: generation, editedAt: Math.max(...times) } };
  } catch (error) {
    if (error instanceof KubernetesError && error.status > 0 && error.status < 500) return undefined;
    throw error;
  }
}

const editionOf = (found: Stored | undefined): string =>
  digest(canonical({ ...found, metadata: undefined, status: undefined }));
