import { given } from '../../domain/model/fields.ts';
import type { ToldWeights, WeightHistory } from '../../clients/temporal/weight-history.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Cell, CellStatus } from '../../crds/cell.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { unreadyClusters } from '../../domain/gates/gate.ts';
import { freezeAt, type Freezing } from '../../domain/gates/freeze.ts';
import { openingAt } from '../../domain/gates/windows.ts';
import { stageNamesIn } from '../okractl/describe.ts';
import {
  applicationsTable,
  approvalText,
  type CellView,
  factsOf,
  healthOf as healthText,
  lastOf,
  stepsOf,
  type StepView,
  timeOf,
  weightsTable,
} from '../okractl/describe-cell.ts';
import { changesTable, personText, requestsTable } from '../okractl/history.ts';
import { type Offer, seenOf } from '../okractl/offers.ts';
import type { Table } from '../okractl/output.ts';
import { nextOf } from '../okractl/tree.ts';
import { inOneLine } from '../terminal-text.ts';
import { chartOf, type ChartView } from './chart.ts';
import { toneOfPhase } from '../tones.ts';
import { type CellRow, toneOfOutcome } from './rows.ts';
import { MEASURED } from './verdicts.ts';
import type { TableCell, TableView } from './view.ts';

/** Whether Kubernetes lets a person make a request; unknown as long as it has not said so. */
export type MayAsk = 'Yes' | 'No' | 'Unknown';

/** A request that can be made, and whether the person may make it. */
export interface OfferView extends Offer {
  readonly may: MayAsk;
}

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

/** All that is shown of one Cell, or of one StagedBindingPolicy, which has no weights. */
export type CellPage = Omit<ReturnType<typeof cellPageOf>, 'chart'> & { readonly chart?: ChartView };

/** Makes the page of a Cell. */
export function cellPageOf(sources: CellSources, now: number) {
  const { cell, row, told, seen, trouble } = sources;
  const { status = {} } = cell;
  // When the step ends, and a window opens, stands in its place.
  const next = nextOf(cell, now)
    ?.replace(/^next: /, '')
    .replace(/, (at|not before) .*/s, '');
  const chart = chartOf({ cell, told, seen, trouble, now });
  return {
    row,
    isDeleted: false,
    /** Why it stands as it does, each in a word that the docs explain. */
    reasons: reasonsIn(status),
    steps: stepsUntil(chart.failedAt, cell),
    ...given({ next }),
    offers: sources.offers,
    seen: seenOf(cell),
    chart,
    /** What stands below the steps; the other tables stand below the chart. */
    beside: [
      { title: 'Gates', headings: ['Gate', 'State', 'Until'], rows: gatesOf(sources, now) },
      approvalsTable(status),
      pageTable('Requests', requestsTable((status.requests ?? []).toReversed())),
      pageTable('Blocked versions', {
        headings: ['Version', 'Since', 'Cause'],
        rows: (status.blockedVersions ?? []).map(({ version, time, cause }) => [version, time, cause]),
      }),
      pageTable('Rejected target groups', {
        headings: ['Message'],
        rows: (status.rejectedTargetGroups ?? []).map(({ message }) => [message]),
      }),
    ],
    tables: tablesOf(sources, now),
  };
}

/** The steps, and how far the last rollout came that has failed, if it had as many. */
function stepsUntil(failedAt: string | undefined, cell: Cell): readonly StepView[] {
  const steps = stepsOf(cell);
  const [at = 0, count] = (failedAt ?? '').split('/').map(Number);
  if (cell.status?.rollout !== undefined || count !== steps.length - 1) return steps;
  const stands = (index: number): StepView['stands'] =>
    index < at ? 'Done' : index === at ? 'Failed' : 'Ahead';
  return steps.map((step, index) => ({ ...step, stands: stands(index + 1) }));
}

/** Makes the page of a StagedBindingPolicy. */
export function policyPageOf(
  policy: StagedBindingPolicy,
  { row, events, offers, url }: Pick<CellSources, 'row' | 'events' | 'offers' | 'url'>,
): CellPage {
  const { spec, status = {} } = policy;
  const { activeStage, stages = [], requests = [] } = status;
  return {
    row,
    isDeleted: false,
    reasons: reasonsIn(status),
    steps: stageNamesIn(spec).map((name): StepView => {
      const stage = stages.find((one) => one.name === name);
      const { phase = 'Pending', objects, fulfilled = 0, firstUnfulfilled, reason, since } = stage ?? {};
      const count = objects === undefined ? undefined : `${fulfilled} of ${objects} objects`;
      const text = [`${name}: ${phase}`, count, firstUnfulfilled, reason].filter(
        (part) => part !== undefined,
      );
      const isFailed = phase === 'TimedOut' || phase === 'RolledBack';
      const isCurrent = name === activeStage && status.phase !== 'Completed';
      const stood = phase === 'Pending' ? 'Ahead' : 'Done';
      return {
        text: inOneLine(text.join(', ')),
        stands: isFailed ? 'Failed' : isCurrent ? 'Current' : stood,
        ...given({ since: isFailed || isCurrent ? since : undefined }),
      };
    }),
    offers,
    seen: given({ stage: activeStage }),
    beside: [pageTable('Requests', requestsTable(requests.toReversed()))],
    tables: [
      eventsTable(events),
      { title: 'Details', headings: ['Detail', 'Value'], rows: workflowRow(url) },
    ],
  };
}

/** The reason of a status, and those of its conditions that are not as they should be. */
function reasonsIn({ reason = '', conditions = [] }: Pick<CellStatus, 'reason' | 'conditions'>) {
  const wrong = conditions.filter(({ type, status }) => status === (type === 'Degraded' ? 'True' : 'False'));
  const others = wrong.filter(({ type }) => type !== 'Ready' && type !== 'Progressing');
  return [...new Set([reason, ...others.map((one) => one.reason)])]
    .filter((one) => one !== '')
    .map(inOneLine);
}

function tablesOf(sources: CellSources, now: number): readonly TableView[] {
  const { row, cell } = sources;
  const { status = {} } = cell;
  return [
    groupsTable(sources),
    { title: 'Analyses', headings: MEASURED, rows: sources.verdicts },
    pageTable('Applications', applicationsTable(status), {
      REVISION: (text) => text.replace('→', 'to'),
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
    pageTable('History', changesTable(status.history ?? []), {
      OUTCOME: (text) => ({ text, tone: toneOfOutcome(text) }),
    }),
    eventsTable(sources.events),
    { title: 'Details', headings: ['Detail', 'Value'], rows: detailsOf(sources, now) },
  ];
}

const eventsTable = (events: CellView['events']): TableView =>
  pageTable(
    'Events',
    {
      headings: ['When', 'Type', 'Reason', 'Message'],
      rows: lastOf(events, MOST_EVENTS)
        .toReversed()
        .map((event) => [timeOf(event), event.type ?? '', event.reason ?? '', event.note ?? '']),
    },
    { Reason: (text) => ({ text, reason: text }) },
  );

// These stand above.
const above = new Set(['Cell', 'Message', 'Workflow']);

function detailsOf(sources: CellSources, now: number): TableView['rows'] {
  const rows = factsOf(sources, now).flatMap(([name, text]) =>
    text === undefined || above.has(name) ? [] : [[name, inOneLine(text)]],
  );
  return [...rows, ...workflowRow(sources.url)];
}

const workflowRow = (url: string | undefined): TableView['rows'] =>
  url === undefined ? [] : [['Workflow', { text: 'open in the Temporal Web UI', href: url }]];

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
  const { is, opensAt } = { opensAt: undefined, ...openingAt(spec.windows, now) };
  const opens = opensAt === undefined ? 'closed, and does not open within 400 days' : 'closed; opens';
  const least = `at least ${spec.minHealthyTargets} healthy in each target group that gains weight`;
  const isUnhealthy = reason === 'WaitingForHealth' || reason === 'UnhealthyTargets';
  return [
    gate('Freeze', freeze && `${freeze.name} by ${freeze.by}: ${freeze.reason}`, 'none', freeze?.until),
    gate(
      'Window',
      is === 'Open' ? undefined : opens,
      spec.windows === undefined ? 'none: always open' : 'open',
      opensAt,
    ),
    gate('Pause', paused && `by ${personText(paused)}`, 'not paused'),
    ...(spec.ingress === undefined
      ? [gate('Clusters', unready.length === 0 ? undefined : `not ready: ${unready.join(', ')}`, 'all ready')]
      : [
          // These are shown only while they hold.
          ...(reason === 'WaitingForClusters' ? [gate('Clusters', message)] : []),
          ...(reason === 'WaitingForApplication' ? [gate('Applications', message)] : []),
          gate('Health', isUnhealthy ? least : undefined, least),
        ]),
  ];
}

/** The reasons of those whose names are others. */
const gateReasons: Readonly<Record<string, string>> = { Pause: 'Resume', Applications: 'Application' };

/** What a gate says while it holds, or else. */
const gate = (
  name: string,
  holds: string | undefined,
  open = '',
  until?: number,
): TableView['rows'][number] => [
  holds === undefined
    ? { text: name, tone: 'Idle' }
    : { text: name, tone: 'Held', reason: `WaitingFor${gateReasons[name] ?? name}` },
  inOneLine(holds ?? open),
  until === undefined ? '' : new Date(until).toISOString(),
];
