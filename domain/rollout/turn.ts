import type { CellStatus } from '../../crds/cell.ts';
import { decide } from './decide/decide.ts';
import { type Close, type Decision, type Performable, type Wait, noLaterThan } from '../model/decision.ts';
import type { ObjectRef } from '../model/ids.ts';
import { goesForward } from '../gates/gate.ts';
import type { ObservedCell } from '../model/observation.ts';
import { announceWait, recordReported, recordTime } from './record/record.ts';
import { given } from '../model/fields.ts';
import { isWorthReporting, sameStatus, type ReportedEvent } from './report/events.ts';
import {
  reportsBlock,
  isStale,
  withState,
  markStale,
  withReportedStatus,
  type Run,
  awaitRemoval,
} from './record/run.ts';
import { statusOf } from './report/status.ts';
import { abortIsDue } from '../model/requests.ts';
import type { Retry, RolloutState } from '../model/state.ts';
import { isUrgent } from '../model/shift-purpose.ts';

/** What a turn comes to. */
export type Turn =
  | { readonly is: 'Look' }
  | { readonly is: 'Rest'; readonly decision: Wait | Close; readonly run: Run }
  | {
      readonly is: 'Perform';
      readonly decision: Performable;
      readonly observed: ObservedCell;
      readonly run: Run;
    };

/** How old a look at the objects may be when something is done that goes forward, in milliseconds. */
const FRESH_MS = 10_000;

/** Decides what a rollout does next and announces it; while every look is out of date (`isOutrun`), taking back goes by the last one. */
export function takeTurn(run: Run, now: number, { isOutrun = false } = {}): Turn {
  const { state, observed, observedAt } = run;
  const { blind } = state;
  const mayLook = blind === undefined || now >= blind.until;
  const urgent = observed === undefined ? undefined : decideRevert(observed, state, now);
  if (urgent !== undefined && observed !== undefined) return turnFor(urgent, observed, run, now);
  if (mayLook && (isStale(run) || observed === undefined || now >= (state.removal?.until ?? Infinity)))
    return (isOutrun ? actOnVerdict(run, now) : undefined) ?? { is: 'Look' };
  if (observed === undefined) return { is: 'Rest', decision: awaitRead(blind, now), run };
  const wanted = decide(observed, state, now);
  // A word of a Freeze, or of anything else, may have been lost while this waited.
  if (mayLook && goesForward(wanted) && now - observedAt > FRESH_MS) return { is: 'Look' };
  const decision = holdUntilReported(awaitRemoval(holdUntilRead(wanted, state, now), state, now), state);
  return turnFor(decision, observed, run, now);
}

/** What may take traffic back, by what was seen last: a verdict that came, and the end of a rollout. */
function actOnVerdict(run: Run, now: number): Turn | undefined {
  const { state, observed } = run;
  if (observed === undefined) return undefined;
  const decision = decide(observed, state, now);
  return mayRevert(decision) ? turnFor(decision, observed, run, now) : undefined;
}

/** Whether a decision may take traffic back: by a verdict, which stands in another object than those of a look, or at once. */
const mayRevert = ({ do: name }: Decision): boolean => name === 'ReadMeasurement' || name === 'End';

/** What takes traffic back does not wait for a look at the objects, nor for anything else that may not answer. */
function decideRevert(observed: ObservedCell, state: RolloutState, now: number): Decision | undefined {
  if (state.rollout?.ending === undefined && !abortIsDue(state)) return undefined;
  const decision = decide(observed, state, now);
  return decision.do === 'End' || (decision.do === 'Shift' && isUrgent(decision)) ? decision : undefined;
}

// oxlint-disable-next-line max-params -- all four are what a turn is made of
function turnFor(decision: Decision, observed: ObservedCell, before: Run, now: number): Turn {
  const run = withState(before, (state) =>
    announceWait(recordTime(state, decision, now), decision, observed),
  );
  return decision.do === 'Wait' || decision.do === 'Close'
    ? { is: 'Rest', decision, run }
    : { is: 'Perform', decision, observed, run };
}

/** While the objects cannot be read only what takes traffic back continues, by what was seen last. */
function holdUntilRead(decision: Decision, { blind, rollout }: RolloutState, now: number): Decision {
  if (blind === undefined) return decision;
  if (rollout?.ending === undefined && !mayRevert(decision)) return awaitRead(blind, now);
  return noLaterThan(blind.until, decision);
}

/** Neither closes a run nor begins another version before the status says what was blocked, which would be lost. */
function holdUntilReported(decision: Decision, { unreported, justBlocked }: RolloutState): Decision {
  if (unreported === undefined) return decision;
  const { until, message } = unreported;
  const forgets =
    decision.do === 'Begin' && justBlocked !== undefined && justBlocked.version !== decision.canary.version;
  if (forgets) return { do: 'Wait', for: 'Backoff', until, message };
  if (decision.do === 'Close') return { do: 'Wait', for: 'Backoff', until, message, settled: decision };
  return noLaterThan(until, decision);
}

const awaitRead = (blind: Retry | undefined, now: number): Wait => ({
  do: 'Wait',
  for: 'Backoff',
  until: blind?.until ?? now,
  message: blind?.message ?? 'Waiting to observe the Cell.',
});

/** What a turn has to report: the status, whether it is to be written now, and what goes with it. */
export interface DueReport {
  readonly cell: ObjectRef & { readonly resourceVersion?: string };
  readonly status: CellStatus;
  /** `Later`: what was refused is tried again after a while, and not with every turn. */
  readonly is: 'Same' | 'Later' | 'New';
  readonly events: readonly ReportedEvent[];
  /** Whether the Cell has come to another phase or version, or nothing was reported by this run yet. */
  readonly isNewPhase: boolean;
}

/** What is to be reported about a decision; undefined when it is not worth a report. */
export function dueReport(
  { state, observed }: Run,
  decision: Decision,
  at: { readonly workflow: { readonly workflowId: string; readonly runId: string }; readonly now: number },
): DueReport | undefined {
  if (observed?.cell === undefined || !isWorthReporting(decision)) return undefined;
  const { cell } = observed;
  const { workflowId, runId } = at.workflow;
  const workflow = { workflowId, runId };
  const status = statusOf({ observed, cell, state, decision, workflow, now: at.now });
  const before = state.reported ?? cell.status;
  const isNew = state.events.length > 0 || state.overwritten === true || !sameStatus(before, status);
  const isRefused = state.unreported !== undefined && at.now < state.unreported.until;
  return {
    cell: { key: observed.key, uid: cell.uid, ...given({ resourceVersion: cell.resourceVersion }) },
    status,
    is: isNew ? (isRefused ? 'Later' : 'New') : 'Same',
    events: state.events.map((event) => ({ ...event, id: `${runId.slice(0, 8)}-${event.id}` })),
    isNewPhase:
      state.reported === undefined ||
      before.phase !== status.phase ||
      before.desiredVersion !== status.desiredVersion,
  };
}

/** The status was written; `sent` is what the run knew when it was made. */
export function recordReport(run: Run, sent: Run, status: CellStatus): Run {
  const next = withReportedStatus(withState(run, (state) => recordReported(state, sent.state, status)));
  // A version that is blocked from here on is part of what watchers compare; it has to be seen before the run closes.
  const { justBlocked, reported: before } = sent.state;
  const blocks =
    justBlocked !== undefined && justBlocked === next.state.justBlocked && !reportsBlock(before, justBlocked);
  return blocks ? markStale(next) : next;
}
