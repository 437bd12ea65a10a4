import { given } from '../../domain/model/fields.ts';
import { compareText } from '../../domain/kubernetes/canonical.ts';
import { VERSION_LABEL } from '../../domain/kubernetes/labels.ts';
import { keyOf } from '../../domain/model/ids.ts';
import { namedARN } from '../../domain/model/target-group.ts';
import { formatTarget, type Target } from '../okractl/target.ts';
import { sourceIn } from '../okractl/trace.ts';
import { heldFreezes, inOrder, setOrDelete, type Watched } from '../okractl/watched.ts';
import { inOneLine } from '../terminal-text.ts';
import { healthOf } from './cell-page.ts';
import type { Viewer } from './hub.ts';
import { type PageReading, readPage } from './read-cell.ts';
import type { Troubled } from './remembered.ts';
import type { CellRow } from './rows.ts';
import type { Stream } from './stream.ts';
import type { TableView } from './view.ts';
import { messageOf } from '../../domain/text.ts';

/** What a page shows, and what it is told of. */
export type Wish =
  | { readonly view: 'cells' }
  | { readonly view: 'clusters' }
  | { readonly view: 'page'; readonly target: Target };

/** How often what changes without an event is looked at: the time, and what measures. */
const TICK_MS = 5_000;

/** Tells a stream all that it wishes to know, now and whenever it changes, until the stream ends. */
export function feed(viewer: Viewer, stream: Stream, { wish, now }: { wish: Wish; now: () => number }): void {
  const { hub } = viewer;
  const unread = new Map<string, string>();
  const tellHead = onceEach(stream, 'head', () => {
    const watched = hub.watched();
    return headOf({ ...watched, troubles: new Map([...watched.troubles, ...unread]) }, now());
  });
  const troubled: Troubled = (what, why) => {
    setOrDelete(unread, what, why);
    // It ends for this one alone, who begins again and is told why.
    tellOrEnd(tellHead);
  };
  const tellers = [tellHead, tellerOf(viewer, stream, wish, { now, troubled })];
  const push = (): void => {
    for (const tell of tellers) tell();
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

function tellerOf(
  viewer: Viewer,
  stream: Stream,
  wish: Wish,
  reading: Pick<PageReading, 'now' | 'troubled'>,
): () => void {
  const { hub } = viewer;
  switch (wish.view) {
    case 'cells':
      return tellRows(viewer, stream);
    case 'clusters':
      return onceEach(stream, 'clusters', () => clustersOf(hub.watched()));
    case 'page':
      return tellObject(viewer, stream, { target: wish.target, ...reading });
  }
}

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

function tellObject(
  viewer: Viewer,
  stream: Stream,
  { target, now, troubled }: Omit<PageReading, 'changed'>,
): () => void {
  const what = formatTarget(target);
  const read = readPage(viewer, { target, now, troubled, changed: () => tell() });
  const tellPage = onceEach(stream, 'cell', read);
  const tell = (): void => {
    if (stream.signal.aborted || !viewer.hub.watched().isWhole) return;
    let trouble: string | undefined;
    try {
      tellPage();
    } catch (error) {
      // It is tried again with the next change, and stands as a trouble above.
      trouble = inOneLine(messageOf(error));
    }
    troubled(what, trouble);
  };
  return tell;
}

/** What stands above every view. */
export type Head = ReturnType<typeof headOf>;

/** Says which Freezes hold now, and what of the page may be old. */
export function headOf({ freezes, troubles, isWhole }: Watched, now: number) {
  return {
    freezes: heldFreezes({ freezes }, now).map(({ name, by, reason, until, namespaces }) => ({
      name,
      by: inOneLine(by),
      reason: inOneLine(reason),
      ...given({ until: until === undefined ? undefined : new Date(until).toISOString(), namespaces }),
    })),
    troubles: withoutRepeats(troubles),
    isWhole,
  };
}

/** What has the same cause, but for where it was asked, is told once. */
function withoutRepeats(troubles: Watched['troubles']): readonly string[] {
  const alike = Map.groupBy(troubles, ([, why]) => why.replaceAll(/\/[^\s,]+/g, ''));
  return [...alike.values()].flatMap((some) => {
    const [, why = ''] = some[0] ?? [];
    return [`${some.map(([what]) => what).join(', ')} may be stale: ${inOneLine(why)}`];
  });
}

/** What is made by hand belongs to no cluster that Okra knows. */
const BY_HAND = 'made by hand, of no known cluster';

/** Says of each cluster which target groups it has, and in which Cells they carry which weight. */
export function clustersOf({
  groups,
  sets,
  cells,
}: Pick<Watched, 'groups' | 'sets' | 'cells'>): readonly TableView[] {
  const served = servedIn(cells);
  const clusters = new Map<string, Known>();
  // A cluster is known by its secret, and each namespace has secrets of its own.
  const of = (namespace: string, secret: string): Known => {
    const key = `${namespace}/${secret}`;
    const known = clusters.get(key) ?? { key, secret, sets: [], groups: new Map() };
    clusters.set(key, known);
    return known;
  };
  for (const { metadata, status } of sets.values()) {
    const { namespace, name: set } = keyOf({ metadata });
    for (const name of status?.clusters?.names ?? []) of(namespace, name).sets.push(`${namespace}/${set}`);
  }
  for (const group of groups.values()) {
    const { metadata, status } = group;
    const { namespace, name } = keyOf(group);
    const secret = sourceIn(metadata)?.secret;
    const known = served.get(namedARN(group) ?? '') ?? [];
    const health = healthOf(
      known.find(({ healthyTargets }) => healthyTargets !== undefined),
      group,
    );
    const list = known.map(({ key, role, weight }) => ({
      text: `${weight} in ${key} (${role})`,
      href: `#/cells/${key}`,
    }));
    const cluster = secret === undefined ? of('', BY_HAND) : of(namespace, secret);
    cluster.groups.set(`${namespace}/${name}`, [
      metadata.labels?.[VERSION_LABEL] ?? status?.version ?? '',
      list.length === 0 ? 'in no rule' : { list },
      health ?? '',
    ]);
  }
  const byName = Map.groupBy(clusters.values(), ({ secret }) => secret);
  return [...clusters.values()]
    .map(({ key, secret, sets: found, groups: all }) => ({
      title: byName.get(secret)?.length === 1 ? secret : key,
      text: [
        ...(found.length === 0 ? [] : [`Found by ClusterSet ${found.toSorted(compareText).join(', ')}.`]),
        ...(all.size === 0 ? ['No target groups.'] : []),
      ].join(' '),
      headings: ['Target group', 'Version', 'Weight', 'Health'],
      rows: inOrder(all).map(([name, row]) => [name, ...row]),
    }))
    .toSorted(
      (a, b) => Number(a.title === BY_HAND) - Number(b.title === BY_HAND) || compareText(a.title, b.title),
    );
}

interface Known {
  readonly key: string;
  readonly secret: string;
  readonly sets: string[];
  readonly groups: Map<string, TableView['rows'][number]>;
}

/** The target groups that Cells serve by, by their ARNs. */
const servedIn = (cells: Watched['cells']) =>
  Map.groupBy(
    [...cells].flatMap(([key, { status }]) =>
      (status?.targetGroups ?? []).map((group) => ({ ...group, key })),
    ),
    ({ arn }) => arn,
  );
