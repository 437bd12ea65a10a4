import { isExpired } from './kubernetes-error.ts';
import type { KindRef } from './kinds.ts';
import { kindPath } from './kubernetes-paths.ts';
import type { Call } from './kubernetes-transport.ts';

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
}

/** A whole list, and the version from which to watch it. */
export interface Snapshot<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
}

const PAGE = '500';
const MAX_RESTARTS = 5;

/** Reads all pages of a list; begins anew when the pages have become too old to go on with. */
export async function listAll<T>(
  call: Call,
  kind: KindRef,
  options: SnapshotOptions<T>,
): Promise<Snapshot<T>> {
  for (let restarts = 0; ; restarts += 1) {
    try {
      return await readPages<T>(call, kind, options);
    } catch (error) {
      if (!isExpired(error) || restarts === MAX_RESTARTS) throw error;
    }
  }
}

interface Page<T> {
  readonly metadata: { readonly continue?: string; readonly resourceVersion: string };
  readonly items?: readonly T[] | null;
}

async function readPages<T>(call: Call, kind: KindRef, options: SnapshotOptions<T>): Promise<Snapshot<T>> {
  const { namespace, labelSelector, fieldSelector, signal, trim = (object: T) => object } = options;
  const path = kindPath(kind, namespace);
  const items: T[] = [];
  let next: string | undefined;
  for (;;) {
    const page: Page<T> = await call({
      method: 'GET',
      path,
      query: { labelSelector, fieldSelector, limit: PAGE, continue: next },
      signal,
    });
    // A gateway's answer, say, must not pass for a list of nothing; Go writes that as null at times.
    if (page.items === undefined) {
      throw new Error(`Expected a list of ${kind.plural}, got an answer without items.`);
    }
    // The items of built-in kinds come without saying what they are.
    for (const item of page.items ?? [])
      items.push(trim({ apiVersion: kind.apiVersion, kind: kind.kind, ...item }));
    next = page.metadata.continue;
    if (next === undefined || next === '') return { items, resourceVersion: page.metadata.resourceVersion };
  }
}
