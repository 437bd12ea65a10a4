import type { CellStatus } from '../../../crds/cell.ts';
import { type PresentCell, isPinned } from '../../versions/candidate.ts';
import { displayedDecision, type Decision, type Ending } from '../../model/decision.ts';
import { eventOf, type ReportedEvent } from '../report/events.ts';
import type { InspectedForwarding } from '../../load-balancers/load-balancer.ts';
import type { ObservedCell } from '../../model/observation.ts';
import { recordUnplanned } from '../../gates/damping.ts';
import { recordElapsed } from '../../gates/deadline.ts';
import { recordSittingOut } from '../../gates/targets.ts';
import { changeOf, outcomeOf, revertedAs, type Changed } from '../report/history.ts';
import type { Rollout, RolloutState, BlockedVersion } from '../../model/state.ts';
import { plannedBy } from '../../steps/plan.ts';
import { weightOf } from '../../load-balancers/weights.ts';
import { given, omit } from '../../model/fields.ts';
import { withoutPromote } from '../../model/measure-again.ts';
import { cut } from '../../text.ts';

/** The longest text of a cause in the status (crds/cell-status.ts). */
const LONGEST_CAUSE = 2_048;

/** A version that is blocked by the end of its rollout. */
export const blockedBy = ({ message, at }: Ending, version: string, cell: PresentCell): BlockedVersion => ({
  version,
  cause: cut(message, LONGEST_CAUSE),
  time: new Date(at).toISOString(),
  observedGeneration: cell.generation,
  ...(isPinned(version, cell) ? { pinned: true } : {}),
});

/** Records that the rollout ends before its last step, and why; a version that failed is blocked from here on. */
export function recordEnding(
  state: RolloutState,
  { ending: end }: Extract<Decision, { do: 'End' }>,
  cell: PresentCell,
): RolloutState {
  const { health: _old, ...rest } = withoutBackoff(state);
  const { rollout } = rest;
  const ended = inRollout(rest, (one) => ({ ...one, ending: end }));
  if (rollout === undefined || end.kind !== 'Failed') return ended;
  return { ...ended, justBlocked: blockedBy(end, rollout.canary.version, cell) };
}

/** Records that everything is back at the stable side. */
export function recordConclusion({ health: _old, ...state }: RolloutState, now: number): RolloutState {
  const { kind, message = '' } = state.rollout?.ending ?? {};
  return recordOver(state, 'stable', { outcome: revertedAs(kind), message, endedAt: now });
}

/** Records that the canary has become what serves. */
export function recordFinish(state: RolloutState, now: number): RolloutState {
  const message = `${state.rollout?.canary.version} serves all traffic.`;
  return recordOver(state, 'canary', { outcome: 'Completed', message, endedAt: now });
}

function recordOver(
  state: RolloutState,
  serves: 'stable' | 'canary',
  end: Pick<Changed, 'outcome' | 'message' | 'endedAt'>,
): RolloutState {
  const { rollout, requested, stuckBefore: _over, ...rest } = withoutBackoff(state);
  if (rollout === undefined) return { ...rest, requests: {} };
  const { canary, stable, startedAt } = rollout;
  const justChanged = changeOf(requested, {
    version: canary.version,
    from: stable.version,
    startedAt,
    ...end,
  });
  return { ...rest, requests: {}, serves: rollout[serves].version, justChanged };
}

type Of<Name extends Decision['do']> = Extract<Decision, { do: Name }>;

/** Makes a rollout that begins now, by the steps of the spec. */
export function newRollout(
  sides: Pick<Rollout, 'id' | 'stable' | 'canary' | 'index'>,
  { cell, weighted, now }: RolloutSituation,
): Rollout {
  const { steps, analysis } = plannedBy(cell.spec);
  return {
    ...sides,
    startedAt: now,
    steps,
    progress: { is: 'Ready' },
    stepStartedAt: now,
    ...given({
      // Nobody knows when it got the weight that it has.
      shiftedAt: weightOf(sides.canary.groups, weighted) > 0 ? now : undefined,
      backgroundAnalysis: analysis,
    }),
  };
}

/** What a rollout is made of besides its sides. */
export interface RolloutSituation extends Pick<ObservedCell, 'weighted'> {
  readonly cell: PresentCell;
  readonly now: number;
}

/** Records that a rollout began; `id` tells it from every other. */
export function recordBegin(
  state: RolloutState,
  decision: Of<'Begin'>,
  at: { id: string; observed: ObservedCell; cell: PresentCell; now: number },
): RolloutState {
  const { retry: _answered, ...requests } = state.requests;
  const { justBlocked, ...rest } = withoutBackoff(state);
  const { stable, canary, index } = decision;
  const { id, cell, observed, now } = at;
  const rollout = newRollout({ id, stable, canary, index }, { cell, weighted: observed.weighted, now });
  // What begins again is blocked no more; what else was blocked may not stand in the status yet.
  const isOther = justBlocked !== undefined && justBlocked.version !== decision.canary.version;
  return { ...rest, ...(isOther ? { justBlocked } : {}), requests, rollout };
}

/** Records that ELBv2 serves what was asked for; what was seen of health and load balancer before counts no more. */
export function recordShift(
  before: RolloutState,
  { purpose, version, message, shares, sittingOut = [] }: Of<'Shift'>,
  at: {
    readonly from: string | undefined;
    readonly cell: PresentCell;
    readonly now: number;
    readonly corrects: boolean;
  },
): RolloutState {
  const state = recordUnplanned(before, { purpose, shares }, at);
  const seen = withoutBackoffBefore(purpose, withoutInspected(recordSittingOut(state, sittingOut, at.now)));
  const rest = omit(seen, 'health', 'mayDiffer', 'stuckBefore');
  const outcome = outcomeOf[purpose];
  if (outcome === undefined) return inRollout(rest, (rollout) => ({ ...rollout, shiftedAt: at.now }));
  const justChanged = changeOf(state.requested, {
    version,
    from: at.from,
    outcome,
    message,
    startedAt: at.now,
    endedAt: at.now,
  });
  return { ...omit(rest, 'requested'), justChanged };
}

/** Whether a write was refused for its health: what is read or attached meanwhile changes nothing about that. */
export const isRefusedForHealth = ({ backoff }: RolloutState): boolean =>
  backoff?.reason === 'NoHealthyTargets';

/** Records what a look at the load balancer has found. */
export const recordInspection = (state: RolloutState, found: InspectedForwarding): RolloutState => ({
  ...(isRefusedForHealth(state) ? state : withoutBackoff(state)),
  inspected: found,
});

/** Records that someone may have written to the load balancer since it was looked at. */
export const withoutInspected = (state: RolloutState): RolloutState => omit(state, 'inspected');

/** Records what a decision means for the time that the rollout may take. */
export const recordTime = (state: RolloutState, decision: Decision, now: number): RolloutState =>
  inRollout(state, (rollout) => recordElapsed(rollout, decision, now));

/** Records that all steps are done and the canary is watched with the whole weight. */
export const recordBake = (state: RolloutState, now: number): RolloutState =>
  inRollout(withoutPromote(state), (rollout) => ({
    ...rollout,
    progress: { is: 'Baking', since: now },
    stepStartedAt: now,
  }));

/** Records that the current step's pause has begun. */
export function recordPause(state: RolloutState, now: number): RolloutState {
  return inRollout(state, (rollout) => ({ ...rollout, progress: { is: 'Pausing', since: now } }));
}

/** Records that the current step is done; a request to promote it is answered thereby. */
export function recordAdvance(
  state: RolloutState,
  { to }: Pick<Of<'Advance'>, 'to'>,
  now: number,
): RolloutState {
  return inRollout(withoutPromote(withoutBackoff(state)), (rollout) => ({
    ...rollout,
    index: to ?? rollout.index + 1,
    progress: { is: 'Ready' },
    stepStartedAt: now,
  }));
}

/** Records that a status was written, with the events that went with it; `sent` is the state that it was made of. */
export function recordReported(state: RolloutState, sent: RolloutState, status: CellStatus): RolloutState {
  // What has come up while the status was written is told by the next one.
  const told = (['serves', 'justChanged', 'unblocked'] as const).filter((part) => state[part] === sent[part]);
  return {
    ...omit(state, 'unreported', ...told),
    reported: status,
    events: state.events.slice(sent.events.length),
    eventCount: state.eventCount + sent.events.length,
  };
}

/** Records something that people should find among the Events of the Cell. */
export function addEvent(state: RolloutState, event: Omit<ReportedEvent, 'id'>): RolloutState {
  return {
    ...state,
    events: [...state.events, { ...event, id: `${state.eventCount + state.events.length}` }],
  };
}

/** Records the Event that tells people what is waited for, or how it ended, unless they have been told so already. */
export function announceWait(state: RolloutState, decision: Decision, observed: ObservedCell): RolloutState {
  const said = displayedDecision(decision);
  if (said.do !== 'Wait' && said.do !== 'Close') return state;
  const event = eventOf(said);
  if (event === undefined) return state;
  const told = state.reported ?? observed.cell?.status;
  const isToldByReason = said.do === 'Wait' && said.for === 'Health';
  const isTold = isToldByReason ? told?.reason === 'WaitingForHealth' : told?.message === said.message;
  // As long as the status cannot be written, the Event waits with it.
  const isAboutToBeTold = state.events.some(({ reason, message }) =>
    isToldByReason ? reason === event.reason : message === event.message,
  );
  return isTold || isAboutToBeTold ? state : addEvent(state, event);
}

/** Forgets what has held. */
export const withoutBackoff = (state: RolloutState): RolloutState => omit(state, 'backoff');

/** The same after weights were changed, except at rest: what was refused and put back would go round without an end. */
const withoutBackoffBefore = (purpose: Of<'Shift'>['purpose'], state: RolloutState): RolloutState =>
  purpose === 'Restoring' && state.backoff?.quiet === true ? state : withoutBackoff(state);

/** Changes the rollout that is under way, if there is one. */
export function inRollout(state: RolloutState, change: (rollout: Rollout) => Rollout): RolloutState {
  return state.rollout === undefined ? state : { ...state, rollout: change(state.rollout) };
}
