import type { CellStatus } from '../../crds/cell.ts';
import { freezeAt } from '../../domain/gates/freeze.ts';
import { openingAt } from '../../domain/gates/windows.ts';
import { describeRoute, placeOf, routeOf } from '../../domain/load-balancers/load-balancer.ts';
import { describeStep } from '../../domain/steps/index.ts';
import { stepsOf } from '../../domain/rollout/strategy.ts';
import type { CellView, ShownEvent } from './cell-view.ts';
import { changesTable, requestsTable } from './history.ts';
import { commandsFor } from './next-commands.ts';
import { inOneLine, layOut, layOutPairs, type Table } from './table.ts';
import { ageOf, formatTime } from './time.ts';

/** Says all that there is to say about a Cell. */
export function describeCell(view: CellView, now: number): string {
  const { history = [], requests = [], blockedVersions = [] } = view.cell.status ?? {};
  return [
    layOutPairs(headOf(view, now)),
    section('Weights', weightsTable(view)),
    listed('Steps', stepLines(view)),
    listed('Verdicts', verdictLines(view.cell.status ?? {})),
    section('Blocked', {
      headings: ['VERSION', 'SINCE', 'CAUSE'],
      rows: blockedVersions.map(({ version, time, cause }) => [
        version,
        formatTime(time, now) ?? time,
        cause,
      ]),
    }),
    listed(
      'Target groups that cannot be used',
      (view.cell.status?.rejectedTargetGroups ?? []).map(({ message }) => message),
    ),
    section('Asked for', requestsTable(requests)),
    section('History', changesTable(history)),
    section('Events', eventsTable(view.events, now)),
    listed('You can', commandsFor(view.cell)),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

type Pair = readonly [string, string | undefined];

function headOf({ cell, freezes, url }: CellView, now: number): readonly Pair[] {
  const { metadata, spec, status = {} } = cell;
  const {
    phase = 'Pending',
    reason,
    message = 'Nobody has looked at it yet; see okractl check.',
    rollout,
  } = status;
  const route = routeOf(spec);
  const freeze = freezeAt(freezes, now);
  const opening = openingAt(spec.windows, now);
  const shut =
    opening.is === 'Shut' ? (formatTime(isoOf(opening.opensAt), now) ?? 'never, within 400 days') : undefined;
  const isOld = status.observedGeneration !== undefined && status.observedGeneration !== metadata.generation;
  return [
    ['Cell', `${metadata.namespace ?? 'default'}/${metadata.name}`],
    ['Phase', reason === undefined ? phase : `${phase} (${reason})`],
    ['Says', inOneLine(message)],
    ['Serves', status.stableVersion ?? 'nothing yet'],
    ['Rolls out', rollout === undefined ? undefined : (status.desiredVersion ?? '-')],
    ['Pinned to', spec.version],
    ['Step', stepText(status)],
    ['Started', rollout === undefined ? undefined : formatTime(rollout.startedAt, now)],
    ['Paused by', rollout?.paused === undefined ? undefined : who(rollout.paused)],
    [
      'Ending',
      rollout?.ending === undefined
        ? undefined
        : `${rollout.ending.reason}: ${inOneLine(rollout.ending.message)}`,
    ],
    [
      'Freeze',
      freeze === undefined ? undefined : `${freeze.name} of ${freeze.by}: ${inOneLine(freeze.reason)}`,
    ],
    ['Window opens', shut],
    ['Load balancer', route === undefined ? undefined : `${describeRoute(route)}: ${placeOf(route)}`],
    ['Spec', isOld ? 'was changed, and nobody has looked at the change yet' : undefined],
    ['Reported', formatTime(status.lastSyncTime, now)],
    ['Workflow', url],
  ];
}

const who = ({ by, reason }: { readonly by: string; readonly reason: string }): string =>
  inOneLine(reason === '' ? by : `${by}: ${reason}`);

const isoOf = (at: number | undefined): string | undefined =>
  at === undefined ? undefined : new Date(at).toISOString();

const stepText = ({ step, canaryWeight, rollout }: CellStatus): string | undefined =>
  rollout === undefined || step === undefined
    ? undefined
    : `${step}, the new version has ${canaryWeight ?? 0} of 100`;

/** Each target group with the weight that is asked for, and the one that was read back. */
export function weightsTable({ cell, asked }: Pick<CellView, 'cell' | 'asked'>): Table {
  const served = cell.status?.targetGroups ?? [];
  const wanted = asked.is === 'Known' ? asked.targetGroups : [];
  const names = [...new Set([...served, ...wanted].map(({ name }) => name))];
  const unknown = asked.is === 'Unknown' ? '?' : '-';
  return {
    headings: ['TARGET GROUP', 'VERSION', 'ROLE', 'ASKED FOR', 'SERVED', 'NOTE'],
    rows: names.map((name) => {
      const group = served.find((one) => one.name === name);
      const weight = wanted.find((one) => one.name === name)?.weight;
      const notes = [
        asked.is === 'Known' && !asked.isApplied ? 'not confirmed yet' : '',
        weight !== undefined && group !== undefined && weight !== group.weight ? 'differs' : '',
        group?.connections ?? '',
      ].filter((note) => note !== '');
      return [
        name,
        group?.version ?? '-',
        group?.role ?? '-',
        weight === undefined ? unknown : String(weight),
        group === undefined ? '-' : String(group.weight),
        notes.join('; '),
      ];
    }),
  };
}

const marks = { done: '✓', current: '▶', ahead: ' ' } as const;

/** The steps of the strategy, with where a rollout stands. */
export function stepLines({ cell }: Pick<CellView, 'cell'>): readonly string[] {
  const { spec, status = {} } = cell;
  const steps = stepsOf(spec);
  const index = status.rollout === undefined ? undefined : (status.currentStepIndex ?? 0);
  const lines = steps.map((step, at) => {
    const stands = index === undefined || at > index ? 'ahead' : at < index ? 'done' : 'current';
    return `${marks[stands]} ${at + 1}. ${describeStep(step)}`;
  });
  const all = index === undefined || index < steps.length ? 'ahead' : 'current';
  return steps.length === 0 ? [] : [...lines, `${marks[all]} ${steps.length + 1}. the whole weight`];
}

/** The verdicts so far, in a line each. */
export function verdictLines(status: CellStatus): readonly string[] {
  const { analysisRun, experiment, check, job, backgroundAnalysisRun } = status;
  const all = [
    ['AnalysisRun', analysisRun],
    ['Experiment', experiment],
    ['Check', check],
    ['Job', job],
    ['AnalysisRun in the background', backgroundAnalysisRun],
  ] as const;
  return all.flatMap(([kind, verdict]) =>
    verdict === undefined
      ? []
      : [
          `${kind} ${verdict.name}: ${verdict.phase}${verdict.message === '' ? '' : `, ${inOneLine(verdict.message)}`}`,
        ],
  );
}

/** The last Events, the newest at the end. */
export function eventsTable(events: readonly ShownEvent[], now: number): Table {
  const at = ({ eventTime, deprecatedLastTimestamp }: ShownEvent): string =>
    eventTime ?? deprecatedLastTimestamp ?? '';
  return {
    headings: ['AGE', 'TYPE', 'REASON', 'MESSAGE'],
    rows: events
      .toSorted((a, b) => at(a).localeCompare(at(b)))
      .slice(-MOST_EVENTS)
      .map((event) => [ageOf(at(event), now), event.type ?? '-', event.reason ?? '-', event.note ?? '']),
  };
}

const MOST_EVENTS = 15;

/** A table with its heading, indented; nothing when it has no rows. */
export const section = (title: string, table: Table): string =>
  table.rows.length === 0 ? '' : listed(title, layOut(table).split('\n'));

/** Lines with a heading, indented; nothing when there are none. */
export const listed = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : [`${title}:`, ...lines.map((line) => `  ${line}`)].join('\n');
