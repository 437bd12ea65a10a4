import { given } from '../../domain/model/fields.ts';
import type { ToldWeights, WeightHistory } from '../../clients/temporal/weight-history.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Cell, CellStatus } from '../../crds/cell.ts';
import { unreadyClusters } from '../../domain/gates/gate.ts';
import { freezeAt, type Freezing } from '../../domain/gates/freeze.ts';
import { openingAt } from '../../domain/gates/windows.ts';
import {
  applicationsTable,
  approvalText,
  type CellView,
  factsOf,
  healthOf as healthText,
  lastOf,
  stepsOf,
  timeOf,
  weightsTable,
} from '../okractl/describe-cell.ts';
import { changesTable, personText, requestsTable } from '../okractl/history.ts';
import type { Table } from '../okractl/output.ts';
import { nextOf } from '../okractl/tree.ts';
import { inOneLine } from '../terminal-text.ts';
import { chartOf } from './chart.ts';
import { type OfferView, seenOf } from './offers.ts';
import { toneOfPhase } from '../tones.ts';
import { type CellRow, toneOfOutcome } from './rows.ts';
import { MEASURED } from './verdicts.ts';
import type { TableCell, TableView } from './view.ts';

/** All that the page of a Cell is made of. */
export interface CellSources extends CellView {
  readonly row: CellRow;
  readonly groups: ReadonlyMap<string, AWSTargetGroup>;
  readonly told: WeightHistory | undefined;
  readonly seen: readonly ToldWeights[];
  readonly trouble?: string | undefined;
  readonly verdicts: TableView['rows'];
  readonly offers: readonly OfferView[];
}

/** All that is shown of one Cell. */
export type CellPage = ReturnType<typeof cellPageOf>;

/** Makes the page of a Cell. */
export function cellPageOf(sources: CellSources, now: number) {
  const { cell, row, told, seen, trouble } = sources;
  // When the step ends, and a window opens, stands in its place.
  const next = nextOf(cell, now)
    ?.replace(/^next: /, '')
    .replace(/, (at|not before) .*/s, '');
  return {
    row,
    isDeleted: false,
    groups: groupsTable(sources),
    chart: chartOf({ cell, told, seen, trouble, now }),
    steps: stepsOf(cell),
    tables: tablesOf(sources, now),
    ...given({ next }),
    offers: sources.offers,
    seen: seenOf(cell),
  };
}

function tablesOf(sources: CellSources, now: number): readonly TableView[] {
  const { row, cell } = sources;
  const { status = {} } = cell;
  return [
    { title: 'Gates', headings: ['Gate', 'State', 'Until'], rows: gatesOf(sources, now) },
    { title: 'Analyses', headings: MEASURED, rows: sources.verdicts },
    approvalsTable(status),
    pageTable('Applications', applicationsTable(status), {
      PHASE: (text, at) => {
        const tone = status.applications?.[at]?.failed === undefined ? toneOfPhase(text) : 'Bad';
        return { text, tone };
      },
      WEIGHT: (text, at) => {
        const child = status.applications?.[at]?.child;
        if (child === undefined) return text;
        const href = `#/cells/${row.namespace}/${child.name}`;
        return { text: text === '-' ? `Cell ${child.name}` : text, href };
      },
    }),
    clustersTable(status),
    pageTable('Blocked versions', {
      headings: ['Version', 'Since', 'Cause'],
      rows: (status.blockedVersions ?? []).map(({ version, time, cause }) => [version, time, cause]),
    }),
    pageTable('Rejected target groups', {
      headings: ['Message'],
      rows: (status.rejectedTargetGroups ?? []).map(({ message }) => [message]),
    }),
    pageTable('Requests', requestsTable((status.requests ?? []).toReversed())),
    pageTable('History', changesTable(status.history ?? []), {
      OUTCOME: (text) => ({ text, tone: toneOfOutcome(text) }),
    }),
    pageTable('Events', {
      headings: ['When', 'Type', 'Reason', 'Message'],
      rows: lastOf(sources.events, MOST_EVENTS)
        .toReversed()
        .map((event) => [timeOf(event), event.type ?? '', event.reason ?? '', event.note ?? '']),
    }),
    { title: 'Details', headings: ['Detail', 'Value'], rows: detailsOf(sources, now) },
  ];
}

// These stand above.
const above = new Set(['Cell', 'Message', 'Workflow']);

function detailsOf(sources: CellSources, now: number): TableView['rows'] {
  const rows = factsOf(sources, now).flatMap(([name, text]) =>
    text === undefined || above.has(name) ? [] : [[name, inOneLine(text)]],
  );
  const { url } = sources;
  if (url === undefined) return rows;
  return [...rows, ['Workflow', { text: 'open in the Temporal Web UI', href: url }]];
}

const MOST_EVENTS = 20;

type Columns = Readonly<Record<string, (text: string, row: number) => TableCell>>;

/** Makes a table of the page of one that okractl prints; some of its columns are more than texts. */
const pageTable = (title: string, { headings, rows }: Table, columns: Columns = {}): TableView => ({
  title,
  headings: headings.map((one) => one.charAt(0) + one.slice(1).toLowerCase()),
  rows: rows.map((row, at) =>
    row.map((text, column) => {
      const line = inOneLine(text);
      return columns[headings[column] ?? '']?.(line, at) ?? line;
    }),
  ),
});

function groupsTable({ cell, row, asked, groups }: CellSources): TableView {
  const table = weightsTable({ cell, asked });
  return pageTable('Target groups', table, {
    HEALTHY: (_, at) => {
      const named = table.rows[at]?.[0] ?? '';
      const served = cell.status?.targetGroups?.find(({ name }) => name === named);
      return healthOf(served, groups.get(`${row.namespace}/${named}`)) ?? '-';
    },
  });
}

/** Says how many targets of a group are healthy, and what AWS or a Cell has against it. */
export function healthOf(
  served: NonNullable<CellStatus['targetGroups']>[number] | undefined,
  group: Pick<AWSTargetGroup, 'status'> | undefined,
): TableCell | undefined {
  const ready = group?.status?.conditions?.find(({ type }) => type === 'Ready');
  const counts = healthText(served);
  const text = counts === undefined ? undefined : `${counts} healthy`;
  if (ready?.status === 'False')
    return { tone: 'Bad', text: `${text ?? 'not ready'}: ${inOneLine(ready.message)}` };
  if (text === undefined) return undefined;
  const { healthyTargets = 0, targets = healthyTargets } = served ?? {};
  return { tone: healthyTargets === 0 ? 'Bad' : healthyTargets < targets ? 'Held' : 'Good', text };
}

function approvalsTable({ approval }: CellStatus): TableView {
  const rows = (approval?.approvals ?? []).map(({ by, time, reason }) => [by, time, reason]);
  const table = pageTable('Approvals', { headings: ['By', 'When', 'Reason'], rows });
  if (approval === undefined) return table;
  const { message } = approval;
  return { ...table, text: inOneLine(`${approvalText(approval)}. ${message ?? ''}`) };
}

const clustersTable = ({ clusters = [] }: CellStatus): TableView => ({
  title: 'Clusters',
  headings: ['Cluster', 'Ready', 'Since', 'Message'],
  rows: clusters.map(({ name, ready, since, message }) => [
    name,
    { text: ready ? 'ready' : 'not ready', tone: ready ? 'Good' : 'Bad' },
    since,
    inOneLine(message),
  ]),
});

/** Says what can hold the rollouts of a Cell from outside, and what holds them now. */
function gatesOf(
  { cell, freezes }: { readonly cell: Cell; readonly freezes: readonly Freezing[] },
  now: number,
): TableView['rows'] {
  const { spec, status = {} } = cell;
  const { reason, message = '' } = status;
  const freeze = freezeAt(freezes, now);
  const paused = status.rollout?.paused ?? status.paused;
  const unready = unreadyClusters(cell);
  return [
    freeze === undefined
      ? gate('Freeze', false, 'none')
      : gate('Freeze', true, `${freeze.name} by ${freeze.by}: ${freeze.reason}`, freeze.until),
    windowOf(cell, now),
    paused === undefined
      ? gate('Pause', false, 'not paused')
      : gate('Pause', true, `by ${personText(paused)}`),
    ...(spec.ingress === undefined
      ? [
          gate(
            'Clusters',
            unready.length > 0,
            unready.length === 0 ? 'all ready' : `not ready: ${unready.join(', ')}`,
          ),
        ]
      : [
          // These are shown only while they hold.
          ...(reason === 'WaitingForClusters' ? [gate('Clusters', true, message)] : []),
          ...(reason === 'WaitingForApplication' ? [gate('Applications', true, message)] : []),
          gate(
            'Health',
            reason === 'WaitingForHealth' || reason === 'UnhealthyTargets',
            `at least ${spec.minHealthyTargets} healthy in each target group that gains weight`,
          ),
        ]),
  ];
}

const gate = (name: string, holds: boolean, text: string, until?: number): TableView['rows'][number] => [
  { text: name, tone: holds ? 'Held' : 'Idle' },
  inOneLine(text),
  until === undefined ? '' : new Date(until).toISOString(),
];

function windowOf({ spec }: Cell, now: number): TableView['rows'][number] {
  if (spec.windows === undefined) return gate('Window', false, 'none: always open');
  const opening = openingAt(spec.windows, now);
  if (opening.is === 'Open') return gate('Window', false, 'open');
  return opening.opensAt === undefined
    ? gate('Window', true, 'closed, and does not open within 400 days')
    : gate('Window', true, 'closed; opens', opening.opensAt);
}
