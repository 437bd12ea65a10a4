import {
  type Allowance,
  isObject,
  linesOf,
  OWN_CLUSTER,
  TOKEN_CHARACTERS,
  type ReadLimits,
} from './kubernetes-answer.ts';
import { errorOf, isExpired, isTooLarge, KubernetesError, malformed, tooLarge } from './kubernetes-error.ts';
import { type KindRef, kindPath } from './kinds.ts';
import { requestFailure, parseAnswer, type Call, type Send } from './kubernetes-transport.ts';
import { isRecord } from '../../domain/model/fields.ts';
import { withTimeLimit } from '../concurrency.ts';

export interface ListOptions {
  /** All namespaces when undefined. */
  readonly namespace?: string | undefined;
  readonly labelSelector?: string | undefined;
  /** Of custom resources only by what their definition lists as selectable (Kubernetes 1.31). */
  readonly fieldSelector?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Which objects to list, and what of them. */
export interface SnapshotOptions<T> extends ListOptions {
  /** Takes of an object what is wanted, page by page, so that no more than a page is there as a whole. */
  readonly trim?: ((object: T) => T) | undefined;
  /** A list of more objects is given up; undefined: what holds for all lists of the cluster. */
  readonly most?: number | undefined;
}

/** A whole list, and the version from which to watch it. */
export interface Snapshot<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
}

const MAX_RESTARTS = 5;

/** Reads all pages of a list, within limits; begins again when the pages have become too old to continue with. */
export async function listAll<T>(
  call: Call,
  kind: KindRef,
  options: SnapshotOptions<T>,
  limits: ReadLimits = OWN_CLUSTER,
): Promise<Snapshot<T>> {
  const limit = { milliseconds: limits.listMilliseconds, signal: options.signal };
  return await withTimeLimit(limit, async (signal) => {
    for (let restarts = 0; ; restarts += 1) {
      try {
        return await readPages<T>(call, kind, { ...options, signal }, limits);
      } catch (error) {
        if (!isExpired(error) || restarts === MAX_RESTARTS) throw error;
      }
    }
  });
}

async function readPages<T>(
  call: Call,
  kind: KindRef,
  options: SnapshotOptions<T>,
  limits: ReadLimits,
): Promise<Snapshot<T>> {
  const { namespace, labelSelector, fieldSelector, signal } = options;
  const { most = limits.listItems, trim = (object: T) => object } = options;
  const path = kindPath(kind, namespace);
  const name = `GET ${path}`;
  const allowance: Allowance = { left: limits.listBytes };
  const items: T[] = [];
  let size = limits.pageItems;

  /** Reads a page, of fewer objects where so many are too large together: one of them alone is not. */
  async function readPage(next: string | undefined): Promise<Page> {
    for (;;) {
      try {
        const query = { labelSelector, fieldSelector, limit: String(size), continue: next };
        const answer = await call<unknown>({ method: 'GET', path, query, signal, allowance });
        size = Math.min(limits.pageItems, size * 2);
        return pageOf(answer, name, kind);
      } catch (error) {
        if (!isTooLarge(error) || size === 1) throw error;
        size = Math.ceil(size / 4);
      }
    }
  }

  let next: string | undefined;
  for (let pages = 1; ; pages += 1) {
    const page = await readPage(next);
    // The items of built-in kinds come without saying what they are.
    for (const item of page.items)
      items.push(trim({ apiVersion: kind.apiVersion, kind: kind.kind, ...item } as T));
    if (items.length > most) throw tooLarge(name, `a list of at most ${most} objects`, 'ListTooLarge');
    ({ next } = page);
    if (next === undefined || next === '') return { items, resourceVersion: page.resourceVersion };
    if (pages === limits.listPages)
      throw tooLarge(name, `a list of at most ${limits.listPages} pages`, 'ListTooLarge');
  }
}

interface Page {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly resourceVersion: string;
  readonly next: string | undefined;
}

// A gateway's answer, say, must not pass for a list of nothing; Go writes that as null at times.
function pageOf(answer: unknown, name: string, kind: KindRef): Page {
  const { metadata, items } = isRecord(answer) ? answer : {};
  if (items === undefined) throw malformed(name, `a list of ${kind.plural}`, 'an answer without items');
  const { resourceVersion, continue: next } = isRecord(metadata) ? metadata : {};
  if (!isToken(resourceVersion) || !(next === undefined || isToken(next)))
    throw malformed(name, `a list of ${kind.plural} with its version`, 'none, or one that is too long');
  const found: unknown = items ?? [];
  if (Array.isArray(found) && found.every(isObject)) return { items: found, resourceVersion, next };
  throw malformed(name, `a list of ${kind.plural}`, 'a list of something else');
}

const isToken = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= TOKEN_CHARACTERS;

/** What to watch, and from which version on. */
export interface WatchOptions extends ListOptions {
  readonly resourceVersion: string;
  readonly signal: AbortSignal;
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
