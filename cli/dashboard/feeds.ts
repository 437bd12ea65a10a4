import { formatKey } from '../../domain/model/ids.ts';
import { havingAll } from '../okractl/watched.ts';
import { readCellPage, type CellReading } from './read-cell.ts';
import { clustersOf } from './clusters.ts';
import { headOf } from './head.ts';
import { policiesOf } from './policies.ts';
import type { Stream } from './stream.ts';
import { messageOf, type Troubled } from './troubled.ts';
import type { CellRow } from './view.ts';
import type { Viewer } from './viewer.ts';

/** What a page shows, and what it is told of. */
export type Wish =
  | { readonly view: 'cells' }
  | { readonly view: 'clusters' }
  | { readonly view: 'cell'; readonly key: { readonly namespace: string; readonly name: string } };

/** How often what changes without an event is looked at: the time, and what measures. */
const TICK_MS = 5_000;

/** Tells a stream all that it wishes to know, now and whenever it changes, until the stream ends. */
export function feed(viewer: Viewer, stream: Stream, { wish, now }: { wish: Wish; now: () => number }): void {
  const { hub } = viewer;
  let unread: ReadonlyMap<string, string> = new Map();
  const tellHead = onceEach(stream, 'head', () => {
    const watched = hub.watched();
    return headOf({ ...watched, troubles: havingAll(watched.troubles, [...unread]) }, now());
  });
  const troubled: Troubled = (what, why) => {
    unread = havingAll(unread, [[what, why]]);
    // It ends for this one alone, who begins again and is told why.
    tellOrEnd(tellHead);
  };
  const tell = teller(viewer, stream, { wish, now, troubled });
  const push = (): void => {
    tellHead();
    tell();
  };
  const tellOrEnd = (told: () => void): void => {
    try {
      told();
    } catch {
      stream.end();
    }
  };
  const pushLater = (): void => tellOrEnd(push);
  const unsubscribe = hub.onChange(pushLater);
  const ticking = setInterval(pushLater, TICK_MS);
  stream.onRoom(pushLater);
  viewer.signal.addEventListener('abort', stream.end, { signal: stream.signal });
  stream.signal.addEventListener('abort', () => {
    unsubscribe();
    clearInterval(ticking);
  });
  push();
}

function teller(
  viewer: Viewer,
  stream: Stream,
  { wish, now, troubled }: { readonly wish: Wish; readonly now: () => number; readonly troubled: Troubled },
): () => void {
  const { hub } = viewer;
  switch (wish.view) {
    case 'cells': {
      const tellCells = tellRows(viewer, stream);
      const tellPolicies = onceEach(stream, 'policies', () => policiesOf(hub.watched().policies));
      return () => {
        tellCells();
        tellPolicies();
      };
    }
    case 'clusters':
      return onceEach(stream, 'clusters', () =>
        clustersOf({
          groups: hub.groups().values(),
          sets: hub.sets().values(),
          cells: hub.watched().cells.values(),
        }),
      );
    case 'cell':
      return tellCell(viewer, stream, { key: wish.key, now, troubled });
  }
}

/** Tells what differs from what was told last. */
function onceEach(stream: Stream, event: string, read: () => unknown): () => void {
  let told = '';
  return () => {
    const next = read();
    const text = JSON.stringify(next);
    if (text !== told && stream.send(event, next)) told = text;
  };
}

/** So many rows are told at once; the others wait until these have been read, and take no memory meanwhile. */
const ROWS_AT_ONCE = 500;

function tellRows({ hub }: Viewer, stream: Stream): () => void {
  const told = new Map<string, CellRow>();
  let isFirst = true;
  return () => {
    const rows = hub.rows();
    const changed = [...rows.values()].filter((row) => told.get(row.key) !== row);
    const gone = [...told.keys()].filter((key) => !rows.has(key));
    if (changed.length + gone.length === 0 && !(isFirst && hub.watched().isWhole)) return;
    for (let at = 0; at === 0 || at < changed.length; at += ROWS_AT_ONCE) {
      const some = changed.slice(at, at + ROWS_AT_ONCE);
      if (!stream.send('rows', { changed: some, gone: at === 0 ? gone : [] })) return;
      isFirst = false;
      for (const row of some) told.set(row.key, row);
      for (const key of gone) told.delete(key);
    }
  };
}

function tellCell(
  viewer: Viewer,
  stream: Stream,
  { key, now, troubled }: Pick<CellReading, 'key' | 'now' | 'troubled'>,
): () => void {
  const read = readCellPage(viewer, { key, now, troubled, late: () => run() });
  const what = `Cell ${formatKey(key)}`;
  let told = '';
  let isReading = false;
  let isDue = false;
  const tell = async (): Promise<void> => {
    const page = await read();
    const text = JSON.stringify(page);
    if (text !== told && stream.send('cell', page)) told = text;
  };
  const run = (): void => {
    isDue = isReading;
    if (isReading || stream.signal.aborted || !viewer.hub.watched().isWhole) return;
    isReading = true;
    void tell()
      // What could not be read is tried again with the next change, and stands as a trouble above.
      .then(
        () => troubled(what, undefined),
        (error: unknown) => troubled(what, messageOf(error)),
      )
      .finally(() => {
        isReading = false;
        if (isDue && !stream.signal.aborted) run();
      });
  };
  return run;
}
