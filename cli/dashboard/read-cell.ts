import { verbOf, type RequestVerb } from '../../crds/request-names.ts';
import type { Cell } from '../../crds/cell.ts';
import type { Freeze } from '../../crds/freeze.ts';
import { EVENT } from '../../clients/kubernetes/kinds.ts';
import { requestsAllowed } from '../../clients/kubernetes/request-rights.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { temporalId } from '../../clients/temporal/workflow-id.ts';
import type { WeightHistory } from '../../clients/temporal/weight-history.ts';
import { freezesOf } from '../../domain/gates/freeze.ts';
import { formatKey, type ObjectKey } from '../../domain/model/ids.ts';
import { objectWorkflowId } from '../../domain/model/workflow-ids.ts';
import type { ShownEvent } from '../okractl/cell-view.ts';
import { inOneLine } from '../okractl/table.ts';
import { guessUi, workflowUrl } from '../okractl/web-ui.ts';
import { cellPageOf } from './cell-page.ts';
import { offersOf } from './offers.ts';
import { verdictsOf } from './verdicts.ts';
import type { CellPage } from './view.ts';
import type { Viewer } from './viewer.ts';

/** How long what was read besides the Cell counts, in milliseconds. */
const FRESH_MS = 30_000;

const nothing: ReadonlySet<RequestVerb> = new Set();

/** What is told to the page of a Cell that is not there. */
export interface NoCell {
  readonly isDeleted: true;
}

/** Makes the reader of one Cell's page, which remembers what seldom changes. */
export function readCellPage(
  viewer: Viewer,
  key: ObjectKey,
  now: () => number,
): (signal: AbortSignal) => Promise<CellPage | NoCell> {
  const { hub, session } = viewer;
  const { kubernetes } = session;
  const history = historyReader(viewer, key, now);
  const rights = remembered(now, () => requestsAllowed(session, { kind: 'Cell', key }).catch(() => nothing));
  const events = remembered(now, () => eventsOf(kubernetes, key));
  return async (signal) => {
    const shown = hub.known(formatKey(key));
    const row = hub.rows().get(formatKey(key));
    if (shown === undefined || row === undefined) return { isDeleted: true };
    const { cell } = shown;
    const offers = offersOf(cell);
    const version = cell.metadata.resourceVersion ?? '';
    const [told, allowed, seenEvents, verdicts] = await Promise.all([
      history(cell),
      viewer.by === undefined ? nothing : rights(''),
      events(version),
      verdictsOf(kubernetes, cell, signal),
    ]);
    const { watched } = hub;
    const freezes: readonly Freeze[] = [...watched().freezes.values()];
    const inNamespace = [...hub.groups().values()].filter(
      ({ metadata }) => (metadata.namespace ?? 'default') === key.namespace,
    );
    const sources = {
      ...shown,
      row,
      freezes: freezesOf(key.namespace, freezes),
      groups: new Map(inNamespace.map((group) => [group.metadata.name, group])),
      told: told.history,
      trouble: told.trouble,
      seen: hub.seen(formatKey(key)),
      verdicts,
      events: seenEvents,
      offers: offers.map((offer) => ({ ...offer, isAllowed: allowed.has(verbOf(offer.name)) })),
      url: urlOf(viewer, key, cell.status?.rollout?.runId),
    };
    return cellPageOf(sources, now());
  };
}

/** Asks again when what it depends on has changed, or after a while. */
function remembered<Given extends readonly unknown[], Result>(
  now: () => number,
  read: (...given: Given) => Promise<Result>,
): (by: string, ...given: Given) => Promise<Result> {
  let last: { readonly by: string; readonly at: number; readonly result: Result } | undefined;
  return async (by, ...given) => {
    if (last?.by === by && now() - last.at < FRESH_MS) return last.result;
    const at = now();
    const result = await read(...given);
    last = { by, at, result };
    return result;
  };
}

interface Told {
  readonly history?: WeightHistory | undefined;
  readonly trouble?: string | undefined;
}

/** Reads the history of weights once for each rollout; the watch sees what comes after. */
function historyReader(
  { session }: Viewer,
  key: ObjectKey,
  now: () => number,
): (cell: Cell) => Promise<Told> {
  let last: (Told & { readonly of: string; readonly at: number }) | undefined;
  return async ({ status = {} }) => {
    const { rollout, history = [] } = status;
    const of = `${rollout?.startedAt ?? ''} ${history[0]?.endedAt ?? ''}`;
    const isEnough = last?.history !== undefined || (last !== undefined && now() - last.at < FRESH_MS);
    if (last?.of === of && isEnough) return last;
    const at = now();
    try {
      const operator = await session.operator();
      const told = await operator.weights(temporalId(objectWorkflowId('Cell', key)));
      last = { of, at, history: told };
    } catch (error) {
      last = { of, at, trouble: inOneLine(error instanceof Error ? error.message : String(error)) };
    }
    return last;
  };
}

/** What the person may not read is left out: the rest is worth showing all the same. */
const eventsOf = (
  kubernetes: KubernetesClient,
  { namespace, name }: ObjectKey,
): Promise<readonly ShownEvent[]> =>
  kubernetes
    .list<ShownEvent>(EVENT, { namespace, fieldSelector: `regarding.kind=Cell,regarding.name=${name}` })
    .catch(() => []);

function urlOf(
  { session: { temporal, temporalUi } }: Viewer,
  key: ObjectKey,
  runId: string | undefined,
): string | undefined {
  const ui = temporalUi ?? guessUi(temporal.address);
  const workflowId = temporalId(objectWorkflowId('Cell', key));
  return ui === undefined ? undefined : workflowUrl(ui, { namespace: temporal.namespace, workflowId, runId });
}
