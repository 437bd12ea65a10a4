import type { Cell } from '../../crds/cell.ts';
import { isForbidden } from '../../clients/kubernetes/kubernetes.ts';
import { mayAsk } from '../../clients/kubernetes/request-rights.ts';
import { type RequestVerb, requestVerbs, verbOf } from '../../crds/request-names.ts';
import type { AskName } from '../../domain/model/request.ts';
import { temporalId } from '../../clients/temporal/workflow-start.ts';
import type { WeightHistory } from '../../clients/temporal/weight-history.ts';
import { freezesOf } from '../../domain/gates/freeze.ts';
import { formatKey, type ObjectKey } from '../../domain/model/ids.ts';
import { objectWorkflowId } from '../../domain/model/workflow-ids.ts';
import { eventsOf, urlOf } from '../okractl/describe.ts';
import { type Offer, offersOf, offersOfPolicy } from '../okractl/offers.ts';
import type { Target } from '../okractl/target.ts';
import { inOneLine } from '../terminal-text.ts';
import { cellPageOf, type MayAsk, policyPageOf } from './cell-page.ts';
import { type Reading, remembered, telling, type Troubled } from './remembered.ts';
import { verdictsOf } from './verdicts.ts';
import type { Viewer } from './hub.ts';
import { messageOf } from '../../domain/text.ts';

/** How long what was read besides the Cell counts, in milliseconds. */
const FRESH_MS = 30_000;
/** The same of what measures. */
const MEASURED_MS = 4_000;

/** What one object's page is read with. */
export interface PageReading {
  readonly target: Target;
  readonly now: () => number;
  /** Called when there is more to tell than there was. */
  readonly changed: () => void;
  readonly troubled: Troubled;
}

/** Makes the reader of one object's page, which waits for nothing, and remembers what seldom changes. */
export function readPage(viewer: Viewer, { target, now, changed, troubled }: PageReading) {
  const { hub, session } = viewer;
  const { key } = target;
  const id = formatKey(key);
  const timing = { now, changed };
  const history = remembered<[], Awaited<ReturnType<typeof toldBy>>>({
    ...timing,
    read: () => toldBy(viewer, key),
    meanwhile: { trouble: 'no answer yet' },
    freshMs: (told) => (told.history === undefined ? FRESH_MS : Number.POSITIVE_INFINITY),
  });
  const may = readMayAsk(viewer, target, { ...timing, freshMs: () => FRESH_MS });
  const events = remembered({
    ...timing,
    read: () => telling('Events', eventsOf(session.kubernetes, target).catch(noneIfForbidden), troubled),
    meanwhile: [],
    freshMs: () => FRESH_MS,
  });
  const verdicts = remembered({
    ...timing,
    read: (cell: Cell) => verdictsOf(session.kubernetes, cell, { signal: viewer.signal, troubled }),
    meanwhile: [],
    freshMs: () => MEASURED_MS,
  });
  const sharedBy = (version: string, offers: readonly Offer[], runId: string | undefined) => ({
    events: events(version),
    offers: offers.map((offer) => ({ ...offer, may: may(offer.name) })),
    url: urlOf(session, target, runId),
  });
  return () => {
    const { freezes, groups, policies } = hub.watched();
    const row = hub.rows().get(id);
    // Cells are known by their namespaces as well, and StagedBindingPolicies have none.
    const object = policies.get(id) ?? hub.known(id);
    if (object === undefined || row === undefined) return { isDeleted: true } as const;
    if (!('cell' in object)) {
      const { metadata, status } = object;
      const shared = sharedBy(metadata.resourceVersion ?? '', offersOfPolicy(status), status?.writer?.runId);
      return policyPageOf(object, { row, ...shared });
    }
    const { cell } = object;
    const version = cell.metadata.resourceVersion ?? '';
    const told = history(rolloutIn(cell));
    const sources = {
      ...object,
      row,
      freezes: freezesOf(key.namespace, [...freezes.values()]),
      groups,
      told: told.history,
      trouble: told.trouble,
      seen: hub.seen(id),
      verdicts: verdicts(version, cell),
      ...sharedBy(version, offersOf(cell), cell.status?.rollout?.runId),
    };
    return cellPageOf(sources, now());
  };
}

/** Makes the reader of what Kubernetes lets a person ask of an object: each request by itself, so that none waits for another. */
function readMayAsk(
  { session, by }: Viewer,
  target: Target,
  timing: Omit<Reading<[], MayAsk>, 'read' | 'meanwhile'>,
): (name: AskName) => MayAsk {
  if (by === undefined) return () => 'No';
  const readers = new Map<RequestVerb, () => MayAsk>(
    requestVerbs[target.kind].map((verb) => {
      const read = remembered<[], MayAsk>({
        ...timing,
        read: async () => ((await mayAsk(session, verb, target)) ? 'Yes' : 'No'),
        meanwhile: 'Unknown',
      });
      return [verb, () => read('')];
    }),
  );
  return (name) => readers.get(verbOf(name))?.() ?? 'Unknown';
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
