import type { Stage } from '../../crds/staged-binding-policy.ts';
import { parseDuration } from '../duration.ts';
import type { StagedDecision } from './decision.ts';
import type { StageView } from './observation.ts';
import type { ClusterMark } from './progressive.ts';
import type { ActiveStage, ActiveState, StagedState } from './state.ts';

/** Computes when a stage is late; undefined without a timeout, or while it is fulfilled and soaks. */
export const computeDeadline = (
  { countsFrom, fulfilledSince }: ActiveStage,
  { timeout }: Stage,
): number | undefined =>
  timeout === undefined || fulfilledSince !== undefined
    ? undefined
    : countsFrom + 1000 * parseDuration(timeout);

/** Has the time of the stage stand still while a decision holds it that is no fault of its workload. */
export function holdTime(state: StagedState, decision: StagedDecision, now: number): StagedState {
  if (decision.do !== 'Wait') return state;
  const { phase, reason } = decision;
  if (phase === 'Failed') return stopTime(state, { at: now, isUnseen: true });
  const isHeld = phase === 'Waiting' || reason === 'Paused' || reason === 'Removing';
  return isHeld ? stopTime(state, { at: now, isUnseen: false }) : state;
}

/** Has the time of the stage stand still, and that of its clusters where nobody can look at them. */
const stopTime = (
  { active, ...state }: StagedState,
  stopped: NonNullable<ActiveStage['stopped']>,
): StagedState => (active === undefined ? state : { ...state, active: { ...active, stopped } });

/** Has the time of the stage go on, without that for which it stood still. */
export function resumeTime(state: StagedState, now: number): StagedState {
  if (state.active?.stopped === undefined) return state;
  const { stopped, clusters, ...active } = state.active;
  const lost = now - stopped.at;
  const later = (mark: ClusterMark): ClusterMark =>
    stopped.isUnseen && mark.fulfilledSince === undefined
      ? { ...mark, startedAt: mark.startedAt + lost }
      : mark;
  const marks = clusters === undefined ? {} : { clusters: clusters.map(later) };
  return { ...state, active: { ...active, countsFrom: active.countsFrom + lost, ...marks } };
}

/** Gives clusters as long again when what they are to have has changed. */
export function restartClusters(state: ActiveState, { print, unbound }: StageView): ActiveState {
  if (unbound !== undefined || state.active.print === undefined || state.active.print === print) return state;
  const { clusters: _before, ...active } = state.active;
  return { ...state, active };
}

/** What a look says of a stage. */
interface Seen {
  readonly now: number;
  readonly isFulfilled: boolean;
  /** Whether it has been fulfilled for as long as it has to be. */
  readonly wasSoaked: boolean;
  readonly marks: readonly ClusterMark[] | undefined;
}

/** Takes up what a look has found: a stage whose objects or clusters have changed begins again. */
export function observeStage(
  state: ActiveState,
  { print, unbound }: StageView,
  { now, isFulfilled, wasSoaked, marks }: Seen,
): ActiveState {
  const { fulfilledSince, completedAt, clusters: before, ...others } = state.active;
  // What was fulfilled in time has as long again: it was edited, or its clusters have a bad moment.
  const hasAgain = !isFulfilled && fulfilledSince !== undefined && (wasSoaked || unbound !== undefined);
  const active = hasAgain ? { ...others, countsFrom: now } : others;
  const over = completedAt === undefined ? {} : { completedAt };
  // Until it is bound nobody knows what it is about; it is not fulfilled, and may turn out to be the same as before.
  if (unbound !== undefined) {
    const clusters = before === undefined ? {} : { clusters: before };
    return { ...state, active: { ...active, ...clusters, ...over } };
  }
  const clusters = marks === undefined ? {} : { clusters: marks };
  const hasJoined =
    before !== undefined && marks?.some(({ name }) => !before.some((one) => one.name === name)) === true;
  const isAnother =
    active.print !== undefined && (active.print !== print || (completedAt !== undefined && hasJoined));
  if (isAnother) {
    const since = isFulfilled ? { fulfilledSince: now } : {};
    return { ...state, active: { ...active, print, startedAt: now, countsFrom: now, ...since, ...clusters } };
  }
  const since = isFulfilled ? { fulfilledSince: fulfilledSince ?? now } : {};
  return { ...state, active: { ...active, print, ...since, ...over, ...clusters } };
}
