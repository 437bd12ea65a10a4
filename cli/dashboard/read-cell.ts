import type { Cell } from '../../crds/cell.ts';
import { isForbidden } from '../../clients/kubernetes/kubernetes.ts';
import { temporalId } from '../../clients/temporal/workflow-start.ts';
import type { WeightHistory } from '../../clients/temporal/weight-history.ts';
import { freezesOf } from '../../domain/gates/freeze.ts';
import { formatKey, type ObjectKey } from '../../domain/model/ids.ts';
import { objectWorkflowId } from '../../domain/model/workflow-ids.ts';
import { eventsOf, urlOf } from '../okractl/describe.ts';
import { inOneLine } from '../terminal-text.ts';
import { cellPageOf } from './cell-page.ts';
import { offersOf, readMayAsk } from './offers.ts';
import { remembered, telling, type Troubled } from './remembered.ts';
import { verdictsOf } from './verdicts.ts';
import type { Viewer } from './hub.ts';
import { messageOf } from '../../domain/text.ts';

/** How long what was read besides the Cell counts, in milliseconds. */
const FRESH_MS = 30_000;
/** The same of what measures. */
const MEASURED_MS = 4_000;

/** What one Cell's page is read with. */
export interface CellReading {
  readonly key: ObjectKey;
  readonly now: () => number;
  /** Called when there is more to tell than there was. */
  readonly changed: () => void;
  readonly troubled: Troubled;
}

/** Makes the reader of one Cell's page, which waits for nothing, and remembers what seldom changes. */
export function readCellPage(viewer: Viewer, { key, now, changed, troubled }: CellReading) {
  const { hub, session } = viewer;
  const { kubernetes } = session;
  const target = { kind: 'Cell', key } as const;
  const timing = { now, changed };
  const history = remembered<[], Awaited<ReturnType<typeof toldBy>>>({
    ...timing,
    read: () => toldBy(viewer, key),
    meanwhile: { trouble: 'no answer yet' },
    freshMs: (told) => (told.history === undefined ? FRESH_MS : Number.POSITIVE_INFINITY),
  });
  const mayAsk = readMayAsk(viewer, key, { ...timing, freshMs: () => FRESH_MS });
  const events = remembered({
    ...timing,
    read: () => telling('Events', eventsOf(kubernetes, target).catch(noneIfForbidden), troubled),
    meanwhile: [],
    freshMs: () => FRESH_MS,
  });
  const verdicts = remembered({
    ...timing,
    read: (cell: Cell) => verdictsOf(kubernetes, cell, { signal: viewer.signal, troubled }),
    meanwhile: [],
    freshMs: () => MEASURED_MS,
  });
  return () => {
    const shown = hub.known(formatKey(key));
    const row = hub.rows().get(formatKey(key));
    if (shown === undefined || row === undefined) return { isDeleted: true } as const;
    const { cell } = shown;
    const version = cell.metadata.resourceVersion ?? '';
    const told = history(rolloutIn(cell));
    const { freezes, groups } = hub.watched();
    const sources = {
      ...shown,
      row,
      freezes: freezesOf(key.namespace, [...freezes.values()]),
      groups,
      told: told.history,
      trouble: told.trouble,
      seen: hub.seen(formatKey(key)),
      verdicts: verdicts(version, cell),
      events: events(version),
      offers: offersOf(cell).map((offer) => ({ ...offer, may: mayAsk(offer.name) })),
      url: urlOf(session, target, cell.status?.rollout?.runId),
    };
    return cellPageOf(sources, now());
  };
}

async function toldBy(
  { session }: Viewer,
  key: ObjectKey,
): Promise<{ readonly history?: WeightHistory; readonly trouble?: string }> {
  try {
    const operator = await session.operator();
    return { history: await operator.weights(temporalId(objectWorkflowId('Cell', key))) };
  } catch (error) {
    return { trouble: inOneLine(messageOf(error)) };
  }
}

/** The rollout that a history is about: it is read once, and the watch sees what comes after. */
const rolloutIn = ({ status: { rollout, history = [] } = {} }: Cell): string =>
  `${rollout?.startedAt ?? ''} ${history[0]?.endedAt ?? ''}`;

/** What the person may not read is left out: the rest is worth showing all the same. */
function noneIfForbidden(error: unknown): readonly [] {
  if (isForbidden(error)) return [];
  throw error;
}
