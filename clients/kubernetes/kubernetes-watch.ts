import { linesOf, isObject } from './kubernetes-answer.ts';
import { errorOf, KubernetesError, malformed } from './kubernetes-error.ts';
import { type KindRef, kindPath } from './kinds.ts';
import type { ListOptions } from './kubernetes-list.ts';
import { requestFailure, parseAnswer, type Send } from './kubernetes-transport.ts';
import { OWN_CLUSTER, TOKEN_CHARACTERS, type ReadLimits } from './limits.ts';
import { isRecord } from '../../domain/model/fields.ts';

/** What to watch, and from which version on. */
export interface WatchOptions extends ListOptions {
  readonly resourceVersion: string;
  readonly signal: AbortSignal;
  /** After this time the server ends the stream. */
  readonly timeoutSeconds?: number | undefined;
  /** Gives the connection up when not even a bookmark, due every minute, came as a whole in this time. */
  readonly idleMilliseconds?: number | undefined;
  readonly limits?: ReadLimits | undefined;
}

/** What happened to an object, or how far the stream has come. */
export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

const TIMEOUT_SECONDS = 300;
const IDLE_MILLISECONDS = 90_000;
// A server that does not end the stream in its time has the client do so.
const GRACE_MILLISECONDS = 30_000;

/** Reads a watch until the server ends it; throws a KubernetesError when it breaks, says too much, or its version is too old. */
export async function* watchKind<T>(
  send: Send,
  kind: KindRef,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>, void> {
  const path = kindPath(kind, options.namespace);
  const name = `a watch of ${path}`;
  const { timeoutSeconds = TIMEOUT_SECONDS, limits = OWN_CLUSTER } = options;
  const idle = idleTimer(options.idleMilliseconds ?? IDLE_MILLISECONDS);
  const longest = AbortSignal.timeout(timeoutSeconds * 1000 + GRACE_MILLISECONDS);
  const signal = AbortSignal.any([options.signal, idle.signal, longest]);
  try {
    const body = await send({ method: 'GET', path, query: queryOf(options, timeoutSeconds), signal });
    const { lineBytes, watchBytes: allBytes } = limits;
    for await (const line of linesOf(body, { name, lineBytes, allBytes })) {
      // A byte now and then is none: an event would be held that never comes to its end.
      idle.restart();
      yield parse<T>(line, kind, name);
    }
  } catch (error) {
    throw error instanceof KubernetesError ? error : requestFailure(name, error, signal);
  } finally {
    idle.stop();
  }
}

const queryOf = (options: WatchOptions, timeoutSeconds: number) => ({
  watch: 'true',
  allowWatchBookmarks: 'true',
  timeoutSeconds: String(timeoutSeconds),
  resourceVersion: options.resourceVersion,
  labelSelector: options.labelSelector,
});

function idleTimer(milliseconds: number) {
  const controller = new AbortController();
  const giveUp = () => {
    controller.abort(new DOMException(`The watch was silent for ${milliseconds} ms.`, 'TimeoutError'));
  };
  const timer = setTimeout(giveUp, milliseconds);
  return { signal: controller.signal, restart: () => void timer.refresh(), stop: () => clearTimeout(timer) };
}

function parse<T>(line: string, kind: KindRef, name: string): WatchEvent<T> {
  const event = parseAnswer<unknown>(line, name);
  const { type, object } = isRecord(event) ? event : {};
  switch (type) {
    case 'ERROR':
      throw errorOf(500, JSON.stringify(object), `a watch of ${kind.plural}`);
    case 'BOOKMARK':
      return { type, resourceVersion: versionOf(object, name) };
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      if (isObject(object)) return { type, object: object as T };
      throw malformed(name, 'events with an object each', 'one without');
    default:
      throw malformed(name, 'events of the Kubernetes API', 'something else');
  }
}

function versionOf(object: unknown, name: string): string {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  const version = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
  if (typeof version === 'string' && version.length <= TOKEN_CHARACTERS) return version;
  throw malformed(name, 'bookmarks with a version', 'one without');
}
