import { setTimeout as wait } from 'node:timers/promises';
import { CELL } from '../../../clients/kubernetes/kinds.ts';
import type { Cell } from '../../../crds/cell.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';

/** Tells when Cells of a namespace change, so that they need not be asked for again and again. */
export interface Changes extends AsyncDisposable {
  /** How many changes were told so far, of one Cell or of all. */
  count(name?: string): number;
  /** Comes back a moment after more changes were told than those, or after the longest time. */
  moreThan(count: number, name?: string): Promise<void>;
}

/** What holds of a Cell for another reason than its change, such as the time, is looked for this often. */
const LONGEST_MS = 1000;
/** Changes that follow each other at once are looked at together. */
const MOMENT_MS = 40;
/** How long Cells are asked for without a watch, before it is begun again. */
const BREAK_MS = 200;

/** Watches the Cells of a namespace until it is disposed of. */
export function changesOf(kubernetes: KubernetesClient, namespace: string): Changes {
  const end = new AbortController();
  const { signal } = end;
  const waiting = new Set<() => void>();
  const counts = new Map<string, number>();
  let whole = 0;
  const told = (name: string | undefined): number =>
    name === undefined ? whole : (counts.get(name) ?? 0) + breaks;
  let breaks = 0;
  const wake = (): void => {
    for (const look of waiting) look();
  };
  const tellOf = (name: string): void => {
    whole += 1;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    wake();
  };
  const tellOfAll = (): void => {
    whole += 1;
    breaks += 1;
    wake();
  };
  const follow = async (): Promise<void> => {
    const { resourceVersion } = await kubernetes.snapshot<Cell>(CELL, { namespace });
    // What has changed before the watch was begun.
    tellOfAll();
    for await (const event of kubernetes.watch<Cell>(CELL, { namespace, resourceVersion, signal }))
      if (event.type !== 'BOOKMARK') tellOf(event.object.metadata.name);
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
