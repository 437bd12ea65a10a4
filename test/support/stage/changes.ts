import { setTimeout as wait } from 'node:timers/promises';
import { CELL } from '../../../clients/kubernetes/kinds.ts';
import type { Cell } from '../../../crds/cell.ts';
import type { KubernetesClient, WatchEvent } from '../../../clients/kubernetes/kubernetes.ts';

/** Tells when Cells of a namespace change, so that they need not be asked for again and again. */
export interface Changes extends AsyncDisposable {
  /** How many changes were told so far, of one Cell or of all. */
  count(name?: string): number;
  /** A Cell as its last change has left it, when that is newer than what was read of it; otherwise it has to be read again. */
  newer(name: string, read: Cell | undefined): Cell | undefined;
  /** Comes back a moment after more changes were told than those, or after the longest time. */
  moreThan(count: number, name?: string): Promise<void>;
}

type Change = Exclude<WatchEvent<Cell>, { readonly type: 'BOOKMARK' }>;

/** What holds of a Cell for another reason than its change, such as the time, is looked for this often. */
const LONGEST_MS = 1000;
/** Changes that follow each other at once are looked at together. */
const MOMENT_MS = 40;
/** How long Cells are asked for without a watch, before it is begun again. */
const BREAK_MS = 200;

// Versions of an API server are numbers: https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions
const versionOf = ({ metadata }: Cell): bigint => BigInt(metadata.resourceVersion ?? '0');

/** Watches the Cells of a namespace until it is disposed of. */
export function changesOf(kubernetes: KubernetesClient, namespace: string): Changes {
  const end = new AbortController();
  const { signal } = end;
  const waiting = new Set<() => void>();
  const counts = new Map<string, number>();
  const latest = new Map<string, Cell>();
  let whole = 0;
  const told = (name: string | undefined): number =>
    name === undefined ? whole : (counts.get(name) ?? 0) + breaks;
  let breaks = 0;
  const wake = (): void => {
    for (const look of waiting) look();
  };
  const tellOf = ({ type, object }: Change): void => {
    const { name } = object.metadata;
    if (type === 'DELETED') latest.delete(name);
    else latest.set(name, object);
    whole += 1;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    wake();
  };
  const tellOfAll = (): void => {
    latest.clear();
    whole += 1;
    breaks += 1;
    wake();
  };
  const follow = async (): Promise<void> => {
    const { resourceVersion } = await kubernetes.snapshot<Cell>(CELL, { namespace });
    // What has changed before the watch was begun.
    tellOfAll();
    for await (const event of kubernetes.watch<Cell>(CELL, { namespace, resourceVersion, signal }))
      if (event.type !== 'BOOKMARK') tellOf(event);
  };
  const following = (async () => {
    while (!signal.aborted) {
      // An API server that a test has killed comes back.
      await follow().catch(() => undefined);
      tellOfAll();
      await wait(BREAK_MS, undefined, { signal }).catch(() => undefined);
    }
  })();
  return {
    count: told,
    newer: (name, read) => {
      const cell = latest.get(name);
      return cell !== undefined && read !== undefined && versionOf(cell) > versionOf(read) ? cell : undefined;
    },
    moreThan: async (known, name) => {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => done(), LONGEST_MS);
        const done = (): void => {
          clearTimeout(timer);
          waiting.delete(look);
          resolve();
        };
        const look = (): void => {
          if (told(name) > known) done();
        };
        waiting.add(look);
        look();
      });
      await wait(MOMENT_MS);
    },
    [Symbol.asyncDispose]: async () => {
      end.abort();
      await following;
    },
  };
}
