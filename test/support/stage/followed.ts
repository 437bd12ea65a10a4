import { CELL } from '../../../clients/kubernetes/kinds.ts';
import type { Cell, CellStatus } from '../../../crds/cell.ts';
import type { Stage } from './stage.ts';

/** Every status that a Cell has had since it was followed, in order. They come by a watch, so that none is missed. */
export interface Followed extends AsyncDisposable {
  readonly statuses: readonly CellStatus[];
}

/** Follows the status of a Cell until it is disposed. */
export async function followStatus({ kubernetes, namespace }: Stage, name: string): Promise<Followed> {
  const statuses: CellStatus[] = [];
  const end = new AbortController();
  const { resourceVersion } = await kubernetes.snapshot<Cell>(CELL, { namespace });
  const events = kubernetes.watch<Cell>(CELL, { namespace, resourceVersion, signal: end.signal });
  const following = (async () => {
    for await (const event of events) {
      if (event.type === 'BOOKMARK' || event.object.metadata.name !== name) continue;
      statuses.push(event.object.status ?? {});
    }
  })().catch((error: unknown) => {
    if (!end.signal.aborted) throw error;
  });
  return {
    statuses,
    [Symbol.asyncDispose]: async () => {
      end.abort();
      await following;
    },
  };
}
