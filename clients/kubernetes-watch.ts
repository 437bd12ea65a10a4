import { errorOf, KubernetesError } from './kubernetes-error.ts';
import type { KindRef } from './kinds.ts';
import type { ListOptions } from './kubernetes-list.ts';
import { kindPath } from './kubernetes-paths.ts';
import { failure } from './kubernetes-transport.ts';
import type { Send } from './kubernetes-transport.ts';

/** What to watch, and from which version on. */
export interface WatchOptions extends ListOptions {
  readonly resourceVersion: string;
  readonly signal: AbortSignal;
  /** After this time the server ends the stream. */
  readonly timeoutSeconds?: number | undefined;
  /** Gives the connection up when not even a bookmark, due every minute, came in this time. */
  readonly idleMilliseconds?: number | undefined;
}

/** What happened to an object, or how far the stream has come. */
export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

const TIMEOUT_SECONDS = 300;
const IDLE_MILLISECONDS = 90_000;

/** Reads a watch until the server ends it; throws a KubernetesError when it breaks or its version is too old. */
export async function* watchKind<T>(
  send: Send,
  kind: KindRef,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>, void> {
  const path = kindPath(kind, options.namespace);
  const idle = idleTimer(options.idleMilliseconds ?? IDLE_MILLISECONDS);
  const signal = AbortSignal.any([options.signal, idle.signal]);
  try {
    const response = await send({ method: 'GET', path, query: queryOf(options), signal });
    for await (const line of linesOf(response.body.stream(), idle.restart)) yield parse<T>(line, kind);
  } catch (error) {
    throw error instanceof KubernetesError ? error : failure(`a watch of ${path}`, error, signal);
  } finally {
    idle.stop();
  }
}

const queryOf = (options: WatchOptions) => ({
  watch: 'true',
  allowWatchBookmarks: 'true',
  timeoutSeconds: String(options.timeoutSeconds ?? TIMEOUT_SECONDS),
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

async function* linesOf(
  body: AsyncIterable<Uint8Array> | null,
  onData: () => void,
): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body ?? []) {
    onData();
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
}

interface Line {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: unknown;
}

function parse<T>(line: string, kind: KindRef): WatchEvent<T> {
  const { type, object } = JSON.parse(line) as Line;
  switch (type) {
    case 'ERROR':
      throw errorOf(500, JSON.stringify(object), `a watch of ${kind.plural}`);
    case 'BOOKMARK': {
      const { metadata } = object as { metadata: { resourceVersion: string } };
      return { type, resourceVersion: metadata.resourceVersion };
    }
    default:
      return { type, object: object as T };
  }
}
