import { type Allowance, isObject } from './kubernetes-answer.ts';
import { isExpired, isTooLarge, malformed, tooLarge } from './kubernetes-error.ts';
import { type KindRef, kindPath } from './kinds.ts';
import type { Call } from './kubernetes-transport.ts';
import { OWN_CLUSTER, TOKEN_CHARACTERS, type ReadLimits } from './limits.ts';
import { isRecord } from '../../domain/model/fields.ts';
import { withTimeLimit } from '../time-limit.ts';

/** Which objects to list. */
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

/** Reads all pages of a list, within limits; begins again when the pages have become too old to go on with. */
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
        return await readPages<T>({ call, kind, options: { ...options, signal }, limits });
      } catch (error) {
        if (!isExpired(error) || restarts === MAX_RESTARTS) throw error;
      }
    }
  });
}

interface Listing<T> {
  readonly call: Call;
  readonly kind: KindRef;
  readonly options: SnapshotOptions<T>;
  readonly limits: ReadLimits;
}

async function readPages<T>(listing: Listing<T>): Promise<Snapshot<T>> {
  const { kind, options, limits } = listing;
  const { most = limits.listItems, trim = (object: T) => object } = options;
  const name = nameOf(listing);
  const allowance: Allowance = { left: limits.listBytes };
  const items: T[] = [];
  let at: Place = { next: undefined, size: limits.pageItems };
  for (let pages = 1; ; pages += 1) {
    const { page, size } = await readPage(listing, at, allowance);
    // The items of built-in kinds come without saying what they are.
    for (const item of page.items)
      items.push(trim({ apiVersion: kind.apiVersion, kind: kind.kind, ...item } as T));
    if (items.length > most) throw tooLarge(name, `a list of at most ${most} objects`, 'ListTooLarge');
    const { next } = page;
    if (next === undefined || next === '') return { items, resourceVersion: page.resourceVersion };
    if (pages === limits.listPages)
      throw tooLarge(name, `a list of at most ${limits.listPages} pages`, 'ListTooLarge');
    at = { next, size };
  }
}

/** Where in a list to go on, and how many objects to ask for. */
interface Place {
  readonly next: string | undefined;
  readonly size: number;
}

/** Reads a page, of fewer objects where so many are too large together: one of them alone is not. */
async function readPage<T>(
  { call, kind, options, limits }: Listing<T>,
  { next, size }: Place,
  allowance: Allowance,
): Promise<{ readonly page: Page; readonly size: number }> {
  const { namespace, labelSelector, fieldSelector, signal } = options;
  for (let asked = size; ; asked = Math.ceil(asked / 4)) {
    try {
      const query = { labelSelector, fieldSelector, limit: String(asked), continue: next };
      const path = kindPath(kind, namespace);
      const answer = await call<unknown>({ method: 'GET', path, query, signal, allowance });
      return { page: pageOf(answer, `GET ${path}`, kind), size: Math.min(limits.pageItems, asked * 2) };
    } catch (error) {
      if (!isTooLarge(error) || asked === 1) throw error;
    }
  }
}

const nameOf = <T>({ kind, options }: Listing<T>): string => `GET ${kindPath(kind, options.namespace)}`;

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
