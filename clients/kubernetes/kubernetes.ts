// `@kubernetes/client-node` reads kubeconfigs and logs in; requests, lists and watches are Okra's own. Its API classes open connections
// for every request, follow redirects and read answers of any size; its informer lists a kind in one answer, keeps whole objects, and
// ends with the first error. Okra also reads clusters that others run, and keeps of ten thousand objects only what it decides by.

import { openKubeconfig, loadKubeconfig } from './kubeconfig.ts';
import { kindOf, type KindRef, kindPath, objectPath, versionPath, type Key } from './kinds.ts';
import { textOf, OWN_CLUSTER, type ReadLimits } from './kubernetes-answer.ts';
import { isNotFound, KubernetesError } from './kubernetes-error.ts';
import {
  listAll,
  watchKind,
  type Snapshot,
  type SnapshotOptions,
  type WatchEvent,
  type WatchOptions,
} from './kubernetes-list.ts';
import { makeCall, makeSend, type Send, heedRetryAfter } from './kubernetes-transport.ts';
import { FIELD_MANAGER } from '../../domain/kubernetes/labels.ts';
import { given } from '../../domain/model/fields.ts';
import { undefinedOn, withTimeLimit, type TimeLimit } from '../concurrency.ts';

export { isConflict, isExpired, isForbidden, isNotFound, KubernetesError } from './kubernetes-error.ts';
export type { Key } from './kinds.ts';
export type { ListOptions, Snapshot, SnapshotOptions, WatchEvent, WatchOptions } from './kubernetes-list.ts';

/** What every object that is written says about itself. */
export interface Identified {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Key;
}

/** What every call takes. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

interface WriteOptions extends CallOptions {
  readonly subresource?: 'status' | undefined;
}

/** How to apply an object. */
export interface ApplyOptions extends WriteOptions {
  readonly force?: boolean | undefined;
  /** Has the API server check the object, unknown fields too, and keep nothing. */
  readonly dryRun?: boolean | undefined;
}

/** How to delete an object. */
export interface DeleteOptions extends CallOptions {
  /** Deletes the object only when it still is the one with this uid. */
  readonly uid?: string | undefined;
  /** Deletes the object only when nobody has changed it since this version. */
  readonly resourceVersion?: string | undefined;
}

/** The Kubernetes API, as far as Okra needs it. Every method throws KubernetesError, or the reason of its signal. */
export interface KubernetesClient {
  /** Reads an object; undefined when there is none. */
  get<T>(kind: KindRef, key: Key, options?: CallOptions): Promise<T | undefined>;
  list<T>(kind: KindRef, options?: SnapshotOptions<T>): Promise<T[]>;
  /** Says whether the cluster has a kind, also to those who may not list it; one whose definition is being deleted it has not got any more. */
  serves(kind: KindRef, options?: CallOptions): Promise<boolean>;
  isReady(options?: CallOptions): Promise<boolean>;
  snapshot<T>(kind: KindRef, options?: SnapshotOptions<T>): Promise<Snapshot<T>>;
  /** Reports what changes from a version on, until the server ends the stream. */
  watch<T>(kind: KindRef, options: WatchOptions): AsyncIterable<WatchEvent<T>>;
  /** Creates an object, or changes those of its fields that are given, by server-side apply. */
  apply<T extends Identified>(object: T, options?: ApplyOptions): Promise<T>;
  /** Creates an object; throws `AlreadyExists` when there is one of that name. */
  create<T extends Identified>(object: T, options?: CallOptions): Promise<T>;
  /** Changes an object by a JSON merge patch; a `metadata.resourceVersion` in it makes a newer object a `Conflict`. */
  patch<T>(kind: KindRef, key: Key, mergePatch: object, options?: WriteOptions): Promise<T>;
  /** Deletes an object; one that is gone is left as it is. */
  delete(kind: KindRef, key: Key, options?: DeleteOptions): Promise<void>;
}

const TIMEOUT_MILLISECONDS = 10_000;

/** Connects to the API server that kubeconfig files name, listed as in `KUBECONFIG`, or else to the usual one. */
export function connectKubernetes(
  kubeconfig?: string,
  timeoutMilliseconds = TIMEOUT_MILLISECONDS,
): KubernetesClient {
  return clientOver(sendAsOkra(kubeconfig), timeoutMilliseconds);
}

/** Makes the sender to the API server that kubeconfig files name, or else to the usual one. */
export const sendAsOkra = (kubeconfig?: string): Send => makeSend(openKubeconfig(loadKubeconfig(kubeconfig)));

interface ClientOptions {
  readonly limits?: ReadLimits;
  readonly fieldManager?: string;
}

/** Makes the client over a sender, whatever it reaches. */
export function clientOver(
  send: Send,
  timeoutMilliseconds = TIMEOUT_MILLISECONDS,
  { limits = OWN_CLUSTER, fieldManager = FIELD_MANAGER }: ClientOptions = {},
): KubernetesClient {
  const call = makeCall(
    heedRetryAfter(send, { longestMs: timeoutMilliseconds / 2 }),
    timeoutMilliseconds,
    limits,
  );
  const list = <T>(kind: KindRef, options: SnapshotOptions<T> = {}) =>
    listAll<T>(call, kind, options, limits);
  return {
    get: (kind, key, { signal } = {}) =>
      unlessMissing(call({ method: 'GET', path: objectPath(kind, key), signal })),
    list: async (kind, options) => [...(await list(kind, options)).items],
    snapshot: list,
    watch: (kind, options) => watchKind(send, kind, { limits, ...options }),
    isReady: ({ signal } = {}) => readiness(send, { milliseconds: timeoutMilliseconds, signal }),
    serves: async (kind, { signal } = {}) => {
      const path = versionPath(kind);
      const found = await unlessMissing(call<ServedKinds>({ method: 'GET', path, signal }));
      if (found !== undefined && found.resources === undefined)
        throw new Error(`cannot read the kinds of ${kind.apiVersion}: the answer has no list of them.`);
      return found?.resources?.some(({ name, verbs }) => name === kind.plural && isToStay(verbs)) ?? false;
    },
    apply: (object, { subresource, force, dryRun, signal } = {}) =>
      call({
        method: 'PATCH',
        path: objectPath(kindOf(object), object.metadata, subresource),
        query: {
          fieldManager,
          force: force === true ? 'true' : undefined,
          ...(dryRun === true ? { dryRun: 'All', fieldValidation: 'Strict' } : {}),
        },
        contentType: 'application/apply-patch+yaml',
        body: object,
        signal,
      }),
    create: (object, { signal } = {}) =>
      call({
        method: 'POST',
        path: kindPath(kindOf(object), object.metadata.namespace ?? 'default'),
        query: { fieldManager },
        body: object,
        signal,
      }),
    patch: (kind, key, mergePatch, { subresource, signal } = {}) =>
      call({
        method: 'PATCH',
        path: objectPath(kind, key, subresource),
        query: { fieldManager },
        contentType: 'application/merge-patch+json',
        body: mergePatch,
        signal,
      }),
    delete: async (kind, key, { uid, resourceVersion, signal } = {}) => {
      const preconditions = given({ uid, resourceVersion });
      const body = {
        propagationPolicy: 'Background',
        ...(Object.keys(preconditions).length === 0 ? {} : { preconditions }),
      };
      await unlessMissing(call({ method: 'DELETE', path: objectPath(kind, key), body, signal }));
    },
  };
}

const LONGEST_READINESS = 65_536;

async function readiness(send: Send, limit: TimeLimit): Promise<boolean> {
  const path = '/readyz';
  try {
    return await withTimeLimit(limit, async (signal) => {
      const body = await send({ method: 'GET', path, signal });
      return (await textOf(body, { most: LONGEST_READINESS, name: path })).trim() === 'ok';
    });
  } catch (error) {
    // What an API server says of itself while a part of it is not ready.
    if (error instanceof KubernetesError && error.status === 500) return false;
    throw error;
  }
}

interface ServedKinds {
  readonly resources?: readonly { readonly name: string; readonly verbs?: unknown }[];
}

// Of a kind whose definition is being deleted nothing can be created any more, while what there is goes, object by object.
const isToStay = (verbs: unknown): boolean => !Array.isArray(verbs) || verbs.includes('create');

/** What is read; undefined where there is no such object, or no such kind. */
export const unlessMissing = <T>(reading: Promise<T>): Promise<T | undefined> =>
  undefinedOn(isNotFound, reading);
