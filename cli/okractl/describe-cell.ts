import type { Cell, CellStatus } from '../../crds/cell.ts';
import { freezeAt, type Freezing } from '../../domain/gates/freeze.ts';
import { openingAt } from '../../domain/gates/windows.ts';
import { describeRoute, placeOf, routeOf } from '../../domain/load-balancers/load-balancer.ts';
import type { WeightedTargetGroup } from '../../domain/model/target-group.ts';
import { given } from '../../domain/model/fields.ts';
import { keyOf } from '../../domain/model/ids.ts';
import { describeSteps } from '../../domain/steps/plan.ts';
import { asLine, inOneLine } from '../terminal-text.ts';
import { changesTable, personText, requestsTable } from './history.ts';
import { ageOf, counted, formatTime, layOut, layOutPairs, type Table } from './output.ts';
import { commandsOf, offersOf } from './offers.ts';
import { CHANGE_CAUSE } from './rollback.ts';

export function describeCell(view: CellView, now: number): string {
  const { status = {} } = view.cell;
  const { history = [], requests = [], blockedVersions = [], clusters = [] } = status;
  return [
    layOutPairs(
      factsOf(view, now).map(([name, text]) => [name, (isTime(text) && formatTime(text, now)) || text]),
    ),
    listed(
      'Clusters that are not ready',
      clusters.flatMap(({ name, ready, message }) => (ready ? [] : inOneLine(`${name}: ${message}`))),
    ),
    section('Applications', applicationsTable(status)),
    section('Weights', weightsTable(view)),
    listed('Steps', stepLines(view.cell, now)),
    listed('Analyses', verdictLines(status)),
    section('Blocked', {
      headings: ['VERSION', 'SINCE', 'CAUSE'],
      rows: blockedVersions.map(({ version, time, cause }) => [
        version,
        formatTime(time, now) ?? time,
        cause,
      ]),
    }),
    listed(
      'Rejected target groups',
      (status.rejectedTargetGroups ?? []).map(({ message }) => message),
    ),
    section('Requests', requestsTable(requests)),
    section('History', changesTable(history)),
    section('Events', eventsTable(view.events, now)),
    listed('You can', commandsOf(offersOf(view.cell), { kind: 'Cell', key: keyOf(view.cell) })),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const isTime = (text = ''): boolean => /^\d{4}-\d\d-\d\dT/.test(text);

export const NOT_RECONCILED = 'Not reconciled yet. Is okrad running? Try okractl check.';

type Fact = readonly [name: string, text: string | undefined];

/** What there is to say about a Cell, each in a line or as a time; undefined: it does not apply. */
export function factsOf(view: Omit<CellView, 'events'>, now: number): readonly Fact[] {
  const { cell, asked, url } = view;
  const { metadata, spec, status = {} } = cell;
  const { phase = 'Pending', reason, message = NOT_RECONCILED, conditions = [] } = status;
  const { generation } = metadata;
  const { observedGeneration: observed = generation } = status;
  const route = routeOf(spec);
  const unhealthy = conditions.find(({ type, status: is }) => type === 'TargetsHealthy' && is === 'False');
  return [
    ['Cell', `${metadata.namespace ?? 'default'}/${metadata.name}`],
    ['Phase', reason === undefined ? phase : `${phase} (${reason})`],
    ['Message', message],
    ['Targets', unhealthy && `not all healthy: ${unhealthy.message}`],
    ['Stable', status.stableVersion ?? (route && 'nothing yet')],
    ['Pinned to', spec.version],
    ['Change cause', metadata.annotations?.[CHANGE_CAUSE]],
    ...rolloutFacts(status),
    ...gateFacts(view, now),
    ['Load balancer', route && `${describeRoute(route)}: ${placeOf(route)}`],
    ['Desired weights', asked.is === 'Unknown' ? `cannot be read: ${asked.why}` : undefined],
    [
      'Spec',
      observed === generation
        ? undefined
        : `generation ${generation ?? '?'} not observed yet (observed: ${observed})`,
    ],
    ['Last sync', status.lastSyncTime],
    ['Workflow', url],
  ];
}

function rolloutFacts({ rollout, paused, step, ...status }: CellStatus): readonly Fact[] {
  const by = rollout?.paused ?? paused;
  return [
    ['Canary', rollout && (status.desiredVersion ?? '-')],
    ['Step', rollout && step && `${step}, canary weight ${status.canaryWeight ?? 0}`],
    ['Started', rollout?.startedAt],
    ['Paused by', by && personText(by)],
    ['Ending', rollout?.ending && `${rollout.ending.reason}: ${rollout.ending.message}`],
  ];
}

function gateFacts({ cell, freezes }: Pick<CellView, 'cell' | 'freezes'>, now: number): readonly Fact[] {
  const freeze = freezeAt(freezes, now);
  const { opensAt, is } = { opensAt: undefined, ...openingAt(cell.spec.windows, now) };
  const opens = opensAt === undefined ? 'never, within 400 days' : new Date(opensAt).toISOString();
  return [
    ['Freeze', freeze && `${freeze.name} by ${personText(freeze)}`],
    ['Window opens', is === 'Open' ? undefined : opens],
  ];
}

/** The healthy and all registered targets of a group, when Okra checked them last: `2/3`. */
export const healthOf = (
  group: { readonly healthyTargets?: number | undefined; readonly targets?: number | undefined } | undefined,
): string | undefined =>
  group?.healthyTargets === undefined ? undefined : `${group.healthyTargets}/${group.targets ?? '?'}`;

/** The target groups that serve, and those that are asked for, with the weight that is asked for. */
export function weightsOf({ status = {} }: Pick<Cell, 'status'>, asked: Asked) {
  const served = status.targetGroups ?? [];
  const wanted = asked.is === 'Known' ? asked.targetGroups : [];
  const names = [...new Set([...served, ...wanted].map(({ name }) => name))];
  return names.map((name) => ({
    name,
    group: served.find((one) => one.name === name),
    weight: wanted.find((one) => one.name === name)?.weight,
  }));
}

/** Each target group with the weight that is asked for, and the one that was read back. */
export function weightsTable({ cell, asked }: Pick<CellView, 'cell' | 'asked'>): Table {
  const unknown = asked.is === 'Unknown' ? '?' : '-';
  return {
    headings: ['TARGET GROUP', 'VERSION', 'ROLE', 'DESIRED', 'OBSERVED', 'HEALTHY', 'NOTE'],
    rows: weightsOf(cell, asked).map(({ name, group, weight }) => {
      const differs = weight !== undefined && group !== undefined && weight !== group.weight;
      const notes = [
        asked.is === 'Known' && !asked.isApplied ? 'not confirmed yet' : '',
        differs ? 'differs' : '',
        group?.connections ?? '',
      ];
      return [
        name,
        group?.version ?? '-',
        group?.role ?? '-',
        weight === undefined ? unknown : String(weight),
        group === undefined ? '-' : String(group.weight),
        healthOf(group) ?? '-',
        notes.filter((note) => note !== '').join('; '),
      ];
    }),
  };
}

export const approvalText = ({ count, lacking, groups }: NonNullable<CellStatus['approval']>): string =>
  `${count - lacking} of ${count} given, ${lacking} more needed from ${groups.join(', ')}`;

/** What measures a Cell, or has measured its step, by what people call it. */
export const measuredBy = (status: CellStatus) =>
  (
    [
      ['AnalysisRun', status.analysisRun],
      ['Experiment', status.experiment],
      ['Check', status.check],
      ['Job', status.job],
      ['Background AnalysisRun', status.backgroundAnalysisRun],
    ] as const
  ).flatMap(([kind, verdict]) => (verdict === undefined ? [] : [{ kind, ...verdict }]));

export function verdictLines(status: CellStatus): readonly string[] {
  const { approval } = status;
  const verdicts = measuredBy(status).map(({ kind, name, phase, message }) =>
    inOneLine(`${kind} ${name}: ${phase}${message === '' ? '' : `, ${message}`}`),
  );
  if (approval === undefined) return verdicts;
  const { approvals = [], message } = approval;
  return [
    ...verdicts,
    inOneLine(`Approvals: ${approvalText(approval)}${message === undefined ? '' : `. ${message}`}`),
    ...approvals.map((one) => inOneLine(`Approved by ${personText(one)}`)),
  ];
}

export function eventsTable(events: readonly ShownEvent[], now: number): Table {
  return {
    headings: ['AGE', 'TYPE', 'REASON', 'MESSAGE'],
    rows: lastOf(events, MOST_EVENTS).map((event) => [
      ageOf(timeOf(event), now),
      event.type ?? '-',
      event.reason ?? '-',
      event.note ?? '',
    ]),
  };
}

const MOST_EVENTS = 15;

/** When an Event happened last; empty when it does not say so. */
export const timeOf = ({ eventTime, deprecatedLastTimestamp }: ShownEvent): string =>
  eventTime ?? deprecatedLastTimestamp ?? '';

export const lastOf = (events: readonly ShownEvent[], most: number): readonly ShownEvent[] =>
  events.toSorted((a, b) => timeOf(a).localeCompare(timeOf(b))).slice(-most);

/** A table with its heading, indented; nothing when it has no rows. */
export const section = (title: string, table: Table): string => listed(title, linesIn(table));

/** The lines of a table; none when it has no rows. */
export const linesIn = (table: Table): readonly string[] =>
  table.rows.length === 0 ? [] : layOut(table).split('\n');

/** Lines with a heading, indented; nothing when there are none. */
export const listed = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : [`${title}:`, ...lines.map((line) => asLine(`  ${line}`))].join('\n');

type Application = NonNullable<CellStatus['applications']>[number];

/** How the applications of a Cell stand, in the order of its spec. */
export const applicationsTable = ({ applications = [] }: CellStatus): Table => ({
  headings: ['APPLICATION', 'PHASE', 'REVISION', 'WEIGHT', 'CHECKS', 'MESSAGE'],
  rows: applications.map((application) => [
    application.name,
    application.phase,
    revisionText(application),
    // Of a Cell that is new, or gone, nobody knows the weights.
    application.child?.weight === undefined
      ? '-'
      : `${application.child.weight} by Cell ${application.child.name}`,
    checksText(application),
    application.failed?.message ?? application.message ?? '-',
  ]),
});

function revisionText({ revision, goodRevision }: Application): string {
  if (revision === undefined) return '-';
  return goodRevision === undefined || goodRevision === revision
    ? String(revision)
    : `${goodRevision} → ${revision}`;
}

/** Those that have failed by their names, the others by their number. */
function checksText({ prechecks = [], checks = [], postchecks = [] }: Application): string {
  const all = [...prechecks, ...checks, ...postchecks];
  const bad = all.filter(({ phase }) => phase !== 'Successful' && phase !== 'Running');
  if (bad.length > 0) return bad.map(({ name, phase }) => `${name} ${phase}`).join(', ');
  const good = all.filter(({ phase }) => phase === 'Successful').length;
  return all.length === 0 ? '-' : `${good} of ${counted(all.length, 'check')} passed`;
}

/** A step, and where the rollout stands. */
export interface StepView {
  readonly text: string;
  readonly stands: 'Done' | 'Current' | 'Failed' | 'Ahead';
  readonly since?: string;
  readonly endsAt?: string;
}

/** The steps of the strategy and what comes after them, with where a rollout stands. */
export function stepsOf({ spec, status = {} }: Cell): readonly StepView[] {
  const steps = describeSteps(spec);
  if (steps.length === 0) return [];
  const index = status.rollout === undefined ? undefined : (status.currentStepIndex ?? 0);
  const { stepStartedAt, stepEndsAt, ending } = status.rollout ?? {};
  const times = given({ since: stepStartedAt, endsAt: stepEndsAt });
  const here =
    ending?.kind === 'Failed' ? ({ stands: 'Failed' } as const) : { stands: 'Current' as const, ...times };
  return [...steps, 'all traffic'].map((text, at): StepView => {
    if (index === undefined || at > index) return { text, stands: 'Ahead' };
    return at < index ? { text, stands: 'Done' } : { text, ...here };
  });
}

const marks = { Done: '✓', Current: '▶', Failed: '✗', Ahead: ' ' } as const;

/** The steps in a line each, with since when and until when the current one is under way. */
export const stepLines = (cell: Cell, now: number): readonly string[] =>
  stepsOf(cell).map(({ text, stands, ...times }, at, { length }) => {
    const number = at === length - 1 ? '' : `${at + 1}. `;
    const since = formatTime(times.since, now);
    const end = formatTime(times.endsAt, now);
    return `${marks[stands]} ${number}${text}${since === undefined ? '' : `, since ${since}`}${end === undefined ? '' : `, ends at ${end}`}`;
  });

export interface ShownEvent {
  readonly type?: string;
  readonly reason?: string;
  readonly note?: string;
  readonly eventTime?: string | null;
  readonly deprecatedLastTimestamp?: string | null;
}

/** What the configuration of the Cell's load balancer asks for. */
export type Asked =
  | {
      readonly is: 'Known';
      readonly targetGroups: readonly WeightedTargetGroup[];
      readonly isApplied: boolean;
    }
  | { readonly is: 'Nothing' }
  /** The person may not read it, say. */
  | { readonly is: 'Unknown'; readonly why: string };

export interface CellView {
  readonly cell: Cell;
  readonly asked: Asked;
  readonly freezes: readonly Freezing[];
  readonly events: readonly ShownEvent[];
  /** Where it is in the Web UI of Temporal; undefined when nobody knows. */
  readonly url?: string | undefined;
}
