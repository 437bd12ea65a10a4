import type { CellStatus } from '../../crds/cell.ts';
import { conditionsFrom, type Claim } from '../kubernetes/conditions.ts';
import { given, omit } from '../model/fields.ts';
import type { ReportedEvent } from '../rollout/report/events.ts';
import { NOT_MEASURED } from '../rollout/measure/analysis.ts';
import { cut } from '../text.ts';
import type { ApplicationsWait, Hold, Judgement, Mark } from './situation.ts';
import { BEHIND, holdOfPause } from './holds.ts';
import type { ObservedApplications } from './observation.ts';
import type { Heard } from './requests.ts';
import { markOf, type Trouble, type ApplicationsState } from './state.ts';
import { unreadyClusters } from '../gates/gate.ts';
import type { RolloutPlan } from '../model/view.ts';

/** Answers the query `plan` for a Cell with applications: in which order they go, and how far they are. */
export function applicationsPlan({ reported }: ApplicationsState): RolloutPlan {
  const marks = reported?.applications ?? [];
  return {
    steps: marks.map(({ name, phase, message = '' }) => ({
      step: `${name}: ${phase}. ${message}`,
      stands: phase === 'Synced' ? 'done' : phase === 'Pending' ? 'ahead' : 'current',
    })),
  };
}

/** Renders how the applications of a Cell stand as Markdown, for the Web UI. */
export function applicationsDetails({
  phase,
  message,
  applications = [],
  clusters = [],
}: CellStatus): string {
  const rows = applications.map(
    (one) =>
      `| ${one.name} | ${one.phase} | ${one.revision ?? ''} | ${one.child?.weight ?? ''} | ${inCell(one.message ?? '')} |`,
  );
  const missing = unreadyClusters({ status: { clusters } });
  return [
    `**${phase ?? 'Starting'}** ${message ?? ''}`,
    ...(rows.length === 0
      ? []
      : ['', '| application | phase | revision | weight | |', '|---|---|---|---|---|', ...rows]),
    ...(missing.length === 0 ? [] : ['', `Not ready: ${missing.join(', ')}.`]),
  ].join('\n');
}

/** A text that does not end the cell of a table. */
const inCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** An application, and what was judged of it. */
export interface Judged extends Judgement {
  readonly name: string;
  readonly trouble?: Trouble | undefined;
}

/** What the status of a Cell of applications is made of. */
export interface ApplicationsStatusInput {
  readonly observed: ObservedApplications;
  readonly cell: NonNullable<ObservedApplications['cell']>;
  readonly heard: Heard;
  readonly clusters: NonNullable<CellStatus['clusters']>;
  readonly judged: readonly Judged[];
  readonly gate: Hold | undefined;
  readonly now: number;
}

/** Says how a Cell of applications stands: its status, its Events, and how long nothing is done when there is nothing to do. */
export function applicationsStatusOf(input: ApplicationsStatusInput) {
  const { observed, cell, heard, clusters, judged, now } = input;
  const summary = summarize(input);
  const applications = judged.map((one): Mark => ({
    ...omit(one.mark, 'reason', 'message'),
    ...given({ reason: reasonOf(one) }),
    message: cut(messageOf(one), 2048),
  }));
  const at = { generation: cell.generation, time: new Date(now).toISOString() };
  const isRead = cell.problems.length === 0;
  const status: CellStatus = {
    observedGeneration: cell.generation,
    observedHash: observed.digest,
    ...summary,
    applications: isRead
      ? applications
      : heard.marks.map((one) => applications.find(({ name }) => name === one.name) ?? one),
    ...given({
      clusters: isRead ? clusters : cell.status.clusters,
      paused: heard.paused,
      requests: heard.log.length === 0 ? undefined : heard.log,
    }),
    conditions: conditionsFrom(claimsOf(summary, clusters), cell.status.conditions ?? [], at),
  };
  const untils = judged.flatMap(({ step, trouble }) => [
    step.is === 'Wait' ? step.until : undefined,
    trouble?.until,
  ]);
  const until = Math.min(...[...untils, input.gate?.until].filter((one) => one !== undefined));
  const wait: ApplicationsWait = {
    do: 'Wait',
    ...summary,
    ...(Number.isFinite(until) ? { until } : {}),
  };
  return { status, events: eventsOf(cell.status, status), wait };
}

const reasonOf = ({ step, trouble }: Judged): string | undefined =>
  trouble?.reason ?? ('reason' in step ? step.reason : undefined);

const messageOf = ({ step, trouble }: Judged): string =>
  trouble === undefined ? step.message : `${trouble.message} Retrying. ${step.message}`;

type Summary = Pick<ApplicationsWait, 'phase' | 'reason' | 'message'>;

/** How the Cell stands as a whole: the one that needs people most speaks for all. */
function summarize(input: ApplicationsStatusInput): Summary {
  const { cell, gate } = input;
  if (cell.problems.length > 0)
    return { phase: 'Failed', reason: 'InvalidSpec', message: cell.problems.join(' ') };
  const judged = input.judged.map((one) => heldByPause(input, one));
  for (const [phase, fits] of ranks) {
    const one = judged.find(fits);
    if (one === undefined) continue;
    const isBad = phase === 'Reverting' && one.trouble !== undefined;
    const message = messageOf(one);
    return {
      phase: isBad ? 'RevertBlocked' : phase,
      reason: reasonOf(one) ?? phase,
      message:
        gate !== undefined && message.startsWith(gate.message) ? gate.message : `${one.name}: ${message}`,
    };
  }
  const count = judged.length;
  const message = `${count === 1 ? 'The application is' : `All ${count} applications are`} in place.`;
  return { phase: 'Completed', reason: 'Completed', message };
}

// These wait for traffic to be where it belongs, which a pause does not hold.
const BACK: ReadonlySet<string> = new Set(['WaitingForCell', 'Deleting']);

/** An application that waits for what would go forward and a pause holds as well: traffic once its Cell is paused. */
function heldByPause({ observed, heard }: ApplicationsStatusInput, one: Judged): Judged {
  const { name, mark, step } = one;
  if (step.is !== 'Wait' || step.hold !== undefined || BACK.has(step.reason)) return one;
  const child = observed.applications.find((seen) => seen.name === name)?.child;
  const isPaused =
    mark.phase === 'Migrating' && child !== undefined
      ? child.status.rollout?.paused !== undefined ||
        (heard.paused !== undefined && child.status.phase === 'Paused')
      : heard.paused !== undefined;
  if (!isPaused) return one;
  const pause = holdOfPause(heard.paused);
  return {
    ...one,
    step: {
      ...step,
      hold: 'Paused',
      ...(pause === undefined ? {} : { reason: pause.reason, message: `${pause.message} ${step.message}` }),
    },
  };
}

const isHeldBy =
  (kind: Hold['kind']) =>
  ({ step }: Judged): boolean =>
    step.is === 'Wait' && step.hold === kind && step.reason !== BEHIND;

const isDelayed = ({ mark: { phase } }: Judged): boolean =>
  phase === 'PrecheckFailed' || phase === 'CheckFailed';

/** The phases of a Cell, and which applications bring it there; the first that fits counts. */
const ranks: readonly (readonly [ApplicationsWait['phase'], (one: Judged) => boolean])[] = [
  ['Reverting', ({ mark, step }) => mark.phase === 'Reverting' && step.is !== 'Stopped'],
  ['Failed', ({ step }) => step.is === 'Stopped' && step.reason !== 'Reverted'],
  ['Failed', (one) => isDelayed(one) && one.step.is !== 'Stopped'],
  ['Failed', isHeldBy('Failed')],
  ['Failed', ({ trouble }) => trouble !== undefined],
  ['Progressing', ({ step }) => step.is === 'Wait' && step.reason === NOT_MEASURED],
  ['Progressing', ({ step }) => step.is === 'Act'],
  ['Progressing', ({ step }) => step.is === 'Wait' && step.hold === undefined],
  ['Paused', isHeldBy('Paused')],
  ['Reverted', ({ step }) => step.is === 'Stopped'],
  ['Waiting', isHeldBy('Waiting')],
];

const TROUBLED: ReadonlySet<string> = new Set(['Failed', 'Reverting', 'RevertBlocked', 'Reverted']);

function claimsOf(
  { phase, reason, message }: Summary,
  clusters: ApplicationsStatusInput['clusters'],
): readonly Claim[] {
  const missing = clusters.filter(({ ready }) => !ready).map((one) => `${one.name}: ${one.message}`);
  const isTroubled = TROUBLED.has(phase) || reason === NOT_MEASURED;
  return [
    { type: 'Ready', holds: phase === 'Completed', reason, message },
    { type: 'Progressing', holds: phase === 'Progressing' || phase === 'Reverting', reason, message },
    isTroubled
      ? { type: 'Degraded', holds: true, reason, message }
      : { type: 'Degraded', holds: false, reason: 'AsExpected', message: 'The Cell matches its spec.' },
    missing.length === 0
      ? { type: 'ClustersReady', holds: true, reason: 'Ready', message: 'All clusters are ready.' }
      : { type: 'ClustersReady', holds: false, reason: 'ClustersNotReady', message: missing.join(' ') },
  ];
}

const LOUD: ReadonlySet<Mark['phase']> = new Set(['PrecheckFailed', 'CheckFailed', 'Reverting']);

function eventsOf(before: CellStatus, after: CellStatus): readonly Omit<ReportedEvent, 'id'>[] {
  return (after.applications ?? []).flatMap(({ name, phase, message = '' }) => {
    if (markOf(before, name)?.phase === phase) return [];
    const type = LOUD.has(phase) ? 'Warning' : 'Normal';
    return [{ type, reason: `Application${phase}`, message: cut(`${name}: ${message}`, 1024) }];
  });
}
