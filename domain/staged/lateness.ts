import type { Stage } from '../../crds/staged-binding-policy.ts';
import { parseDuration } from '../duration.ts';
import type { StagedDecision } from './decision.ts';
import type { ActiveStage, StagedState } from './state.ts';

/** Until when a stage has to be fulfilled; undefined when it may take as long as it likes, is fulfilled already while it soaks, or its time stands still. */
export function lateness(active: ActiveStage, { timeout }: Stage): number | undefined {
  const { fulfilledSince, stoppedAt } = active;
  if (timeout === undefined || fulfilledSince !== undefined || stoppedAt !== undefined) return undefined;
  return countsFrom(active) + 1000 * parseDuration(timeout);
}

const countsFrom = ({ startedAt, countsFrom: later = startedAt }: ActiveStage): number =>
  Math.max(startedAt, later);

/** Whether a stage is held by what is no fault of its workload. */
export function isHeldUp(decision: StagedDecision): boolean {
  if (decision.do !== 'Wait') return false;
  const { phase, reason } = decision;
  return phase === 'Waiting' || phase === 'Failed' || reason === 'Paused' || reason === 'Removing';
}

/** Whether nobody knows what the stage has come to. */
export const isUnseen = (decision: StagedDecision): boolean =>
  decision.do === 'Wait' && decision.phase === 'Failed';

/** Has the time of the stage, and that of its clusters, stand still from now on if it does not already. */
export function unseen(state: StagedState, now: number): StagedState {
  const { active } = state;
  if (active === undefined) return state;
  const { unseenSince = now } = active;
  return standingStill({ ...state, active: { ...active, unseenSince } }, now);
}

/** Gives the clusters that are on their way the time back for which nobody could look at them. */
export function seenAgain(state: StagedState, now: number): StagedState {
  if (state.active?.unseenSince === undefined) return state;
  const { unseenSince, clusters, ...active } = state.active;
  const later = clusters?.map((mark) =>
    mark.fulfilledSince === undefined ? { ...mark, startedAt: mark.startedAt + now - unseenSince } : mark,
  );
  return { ...state, active: { ...active, ...(later === undefined ? {} : { clusters: later }) } };
}

/** Has the time of the stage stand still, from now on if it does not already. */
export function standingStill(state: StagedState, now: number): StagedState {
  const { active } = state;
  return active === undefined || active.stoppedAt !== undefined
    ? state
    : { ...state, active: { ...active, stoppedAt: now } };
}

/** Has the time of the stage count again; what has passed while it stood still does not. */
export function counting(state: StagedState, now: number): StagedState {
  if (state.active?.stoppedAt === undefined) return state;
  const { stoppedAt, ...active } = state.active;
  const from = countsFrom(active);
  return { ...state, active: { ...active, countsFrom: from + now - Math.max(from, stoppedAt) } };
}
