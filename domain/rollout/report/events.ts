import { displayedDecision, type Decision } from '../../model/decision.ts';
import { measurementKinds } from '../measure/analysis.ts';
import { askNames } from '../../model/request.ts';
import { cut } from '../../text.ts';
import type { CellStatus } from '../../../crds/cell.ts';
import { sameValue } from '../../kubernetes/canonical.ts';
import type { ObjectKey } from '../../model/ids.ts';

/** An event of a rollout as Datadog takes it (docs.datadoghq.com/api/latest/events). */
export interface OutsideEvent {
  readonly title: string;
  readonly text: string;
  readonly alert_type: 'info' | 'success' | 'warning' | 'error';
  readonly aggregation_key: string;
  readonly tags: readonly string[];
}

/** What is told outside: the start, each weight, the end and what takes traffic back. */
const told: Readonly<Record<string, OutsideEvent['alert_type']>> = {
  RolloutStarted: 'info',
  WeightsShifted: 'info',
  WeightsReverted: 'warning',
  RolloutCompleted: 'success',
  RolloutFailed: 'error',
  RolloutWithdrawn: 'info',
  Reverted: 'warning',
  Withdrawn: 'info',
};

// As much as Datadog takes.
const LONGEST = { title: 100, text: 4000, key: 100, tag: 200 } as const;

/** What an event of a Cell is outside; undefined when it is not told there. */
export function outsideEvent({ namespace, name }: ObjectKey, event: ReportedEvent): OutsideEvent | undefined {
  const alert = Object.hasOwn(told, event.reason) ? told[event.reason] : undefined;
  if (alert === undefined) return undefined;
  return {
    title: cut(`${event.reason}: ${namespace}/${name}`, LONGEST.title),
    text: cut(event.message === '' ? event.reason : event.message, LONGEST.text),
    alert_type: alert,
    aggregation_key: cut(`okra/${namespace}/${name}`, LONGEST.key),
    tags: [
      'source:okra',
      `okra_namespace:${namespace}`,
      `okra_cell:${name}`,
      `okra_event:${event.reason}`,
    ].map((tag) => cut(tag, LONGEST.tag)),
  };
}

/** A Kubernetes Event to emit; `id` makes a repeated report emit it once. */
export interface ReportedEvent {
  readonly id: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** What is written to the status of a Cell. */
export interface CellReport {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly resourceVersion?: string | undefined;
  readonly status: CellStatus;
  readonly events: readonly ReportedEvent[];
}

/** What became of a report that went along with a write. */
export type ReportOutcome =
  { readonly is: 'Told' } | { readonly is: 'Refused'; readonly reason: string; readonly message: string };

/** Whether a decision is reported: what moves traffic before it is done, how a Cell stands before it waits, the rest with what comes of it. A look at targets alone changes no phase. */
export const isWorthReporting = (decision: Decision): boolean =>
  ['Shift', 'Wait', 'Close'].includes(decision.do) || displayedDecision(decision) !== decision;

/** Whether two statuses say the same, whenever and by whom they were written. */
export const sameStatus = (a: object, b: object): boolean =>
  sameValue({ ...a, ...UNSAID }, { ...b, ...UNSAID });

const UNSAID = { writer: undefined, lastSyncTime: undefined } as const;

/** Who writes a status: a run of the workflow, and which of its activities; a later one has a higher number. */
export type StatusWriter = NonNullable<CellStatus['writer']>;

/** How who writes a status stands to who has written the one that is there: it comes next, too late, or that was another run. */
type Succession = 'Next' | 'Late' | 'AnotherRun';

/** Says whether a status may be written over another one; of two runs only Temporal knows which is the later. */
export function successionOf(writer: StatusWriter, before: StatusWriter | undefined): Succession {
  if (before === undefined) return 'Next';
  if (before.runId !== writer.runId) return 'AnotherRun';
  return before.activity <= writer.activity ? 'Next' : 'Late';
}

type Note = Omit<ReportedEvent, 'id'>;

const reasons: Readonly<Partial<Record<Decision['do'], string>>> = {
  Begin: 'RolloutStarted',
  WaiveBackground: 'AnalysisWaived',
  Finish: 'RolloutCompleted',
  Replan: 'StepsReplanned',
  Bake: 'Baking',
};

/** The Event that tells people of a decision that was carried out; undefined when it is not worth one. */
export function eventOf(decision: Decision): Note | undefined {
  switch (decision.do) {
    case 'Shift':
      return decision.purpose === 'Reverting' || decision.purpose === 'FallingBack'
        ? warning('WeightsReverted', `${inPastTense(decision.message)} Confirmed by ELBv2.`)
        : normal('WeightsShifted', `${inPastTense(decision.message)} Confirmed by ELBv2.`);
    case 'Advance':
      return decision.isTold ? undefined : normal('StepCompleted', decision.message);
    case 'End':
      return decision.ending.kind === 'Failed'
        ? warning('RolloutFailed', decision.message)
        : normal('RolloutWithdrawn', decision.message);
    case 'Conclude':
      return normal(decision.ending === 'Failed' ? 'Reverted' : 'Withdrawn', decision.message);
    case 'StartMeasurement':
      return normal(measurementKinds[decision.kind].started, inPastTense(decision.message));
    case 'Wait':
      return waitEvent(decision);
    case 'Close':
      return closeEvent(decision);
    default: {
      const reason = reasons[decision.do];
      return reason === undefined ? undefined : normal(reason, decision.message);
    }
  }
}

/** The verbs with which the message of a decision begins while it is carried out, and afterwards. */
const pastTense: ReadonlyMap<string, string> = new Map([
  ['Adopting', 'Adopted'],
  ['Applying', 'Applied'],
  ['Attaching', 'Attached'],
  ['Changing', 'Changed'],
  ['Falling', 'Fell'],
  ['Installing', 'Installed'],
  ['Moving', 'Moved'],
  ['Reading', 'Read'],
  ['Recording', 'Recorded'],
  ['Removing', 'Removed'],
  ['Restoring', 'Restored'],
  ['Rolling', 'Rolled'],
  ['Setting', 'Set'],
  ['Shifting', 'Shifted'],
  ['Spreading', 'Spread'],
  ['Starting', 'Started'],
]);

/** Says of what was carried out that it was: "Set the weight …" after "Setting the weight …". */
const inPastTense = (message: string): string =>
  message.replace(/^\w+/, (verb) => pastTense.get(verb) ?? verb);

function waitEvent(decision: Extract<Decision, { do: 'Wait' }>): Note | undefined {
  if (decision.reason !== undefined) return warning(decision.reason, decision.message);
  switch (decision.for) {
    case 'Health':
      return warning('UnhealthyTargets', decision.message);
    case 'Verdict':
      return warning('Inconclusive', decision.message);
    case 'Freeze':
    case 'Clusters':
    case 'Application':
    case 'Window':
    case 'Resume':
    case 'Approval':
      return normal(`WaitingFor${decision.for}`, decision.message);
    default:
      return undefined;
  }
}

function closeEvent({ outcome, reason, message }: Extract<Decision, { do: 'Close' }>): Note | undefined {
  switch (outcome) {
    case 'Waiting':
      return normal(reason, message);
    case 'Failed':
      return warning(reason, message);
    case 'Completed':
    case 'Reverted':
    case 'Deleted':
      return undefined;
  }
}

/** The Event that tells people that something outside refused. */
export const refusalEvent = (reason: string, message: string): Note => warning(reason, message);

const normal = (reason: string, message: string): Note => ({ type: 'Normal', reason, message });
const warning = (reason: string, message: string): Note => ({ type: 'Warning', reason, message });

/** The Event that tells people that they have sent a signal which nobody listens to. */
export const unknownSignalEvent = (name: string): Note =>
  warning(
    'UnknownSignal',
    `Ignored the unknown signal ${JSON.stringify(cut(name, 63))}. Send one of ${askNames.join(', ')}.`,
  );

/** The Event of a shift that was made as asked, although it leaves all traffic without a healthy target. */
export const forcedEvent = (message: string): Note => warning('NoHealthyTargets', message);

/** The Event that tells people that someone has approved a step. */
export const approvedEvent = (message: string): Note => normal('Approved', message);

/** The Event that tells people of an approval that does not count. */
export const approvalRefusedEvent = (message: string): Note => warning('ApprovalRefused', message);
