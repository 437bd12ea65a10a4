import type { Stage } from '../../crds/staged-binding-policy.ts';
import { parseDuration } from '../duration.ts';
import {
  type StagedTurn,
  type StagedWait,
  clearRequest,
  markStage,
  clearHold,
  type ActiveStage,
  type ActiveState,
  type Held,
  type StagedState,
  type StageMark,
  type StagedDecision,
} from './state.ts';
import type { Situation, StageView } from './observation.ts';
import { beginStage, summarizeProgress, describeFailures, reachNextClusters, findProgress } from './place.ts';
import { readStrategy, type Progress, type ClusterMark } from './progressive.ts';

/** Computes when a stage is late; undefined without a timeout, or while it is fulfilled and soaks. */
const computeDeadline = (
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
function restartClusters(state: ActiveState, { print, unbound }: StageView): ActiveState {
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
function observeStage(
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

/** Says what comes next for a stage that is placed: it waits, soaks, is over, or is late. */
export function evaluateStage(given: ActiveState, view: StageView, situation: Situation): StagedTurn {
  const { spec, now } = situation;
  const stage = spec.stages.find(({ name }) => name === given.active.name);
  if (stage === undefined)
    return { state: given, decision: { do: 'Look', message: 'The stages have changed.' } };
  const isLast = spec.stages.at(-1) === stage;
  const before = isLast ? given : goingOn(given);
  const progress = findProgress(restartClusters(before, view), view, situation);
  // Without knowing which clusters there are, those that were reached may be some of them.
  const isUnknown = progress === undefined && readStrategy(spec, stage) !== undefined;
  const holds = !isUnknown && isFulfilled(stage, view, { isLast, progress });
  const wasSoaked = isSoaked(before.active, stage, now);
  const state = observeStage(before, view, { now, isFulfilled: holds, wasSoaked, marks: progress?.marks });
  const at = { view, progress };
  const { active, requests } = state;
  if (requests.promote !== undefined) return pass(state, at, situation);
  if (active.completedAt !== undefined) return complete(state, at, situation);
  if (state.held !== undefined) return wait(state, at, heldBack(state.held, state), now);
  if (isSoaked(active, stage, now)) {
    return isLast ? complete(state, at, situation) : fulfilled(state, at, { stage, situation });
  }
  const trouble = troubleOf(state, at, { stage, situation });
  if (trouble !== undefined) return giveUp(state, at, { stage, now, trouble });
  const next = progress === undefined ? undefined : reachNextClusters(state, progress, situation);
  if (next !== undefined && next.do !== 'Wait')
    return { state: seen(state, at, 'Waiting', now), decision: next };
  const waiting =
    next === undefined ? stillWaiting(stage, active, at) : { ...next, mark: 'Waiting' as const };
  const until = soonest(computeDeadline(active, stage), soakEnd(active, stage), progress?.until, next?.until);
  return wait(state, at, { ...waiting, until }, now);
}

/** What was completed as the last stage goes on when there is one behind it. */
function goingOn(state: ActiveState): ActiveState {
  const { completedAt: _over, ...active } = state.active;
  return { ...state, active };
}

/** What a look has found of the stage. */
interface Found {
  readonly view: StageView;
  readonly progress: Progress | undefined;
}

function isFulfilled(
  stage: Stage,
  view: StageView,
  { isLast, progress }: { readonly isLast: boolean; readonly progress: Progress | undefined },
): boolean {
  const { unbound, objects, fulfilled: many, cell } = view;
  if (unbound !== undefined || cell !== undefined || objects === 0) return false;
  if (progress !== undefined) return progress.isOver;
  if (many < objects) return false;
  return stage.condition !== undefined || isLast;
}

const soakEnd = ({ fulfilledSince }: ActiveStage, { soak }: Stage): number | undefined =>
  fulfilledSince === undefined ? undefined : fulfilledSince + seconds(soak);

const isSoaked = (active: ActiveStage, stage: Stage, now: number): boolean =>
  now >= (soakEnd(active, stage) ?? Number.POSITIVE_INFINITY);

const seconds = (duration: string | undefined): number => 1000 * parseDuration(duration ?? 0);

const soonest = (...times: readonly (number | undefined)[]): number | undefined => {
  const known = times.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};

function wait(state: ActiveState, at: Found, { mark, ...said }: Waiting, now: number): StagedTurn {
  return { state: seen(state, at, mark, now), decision: { do: 'Wait', ...said } };
}

/** Marks where the active stage stands, with what was seen of it. */
function seen(
  state: ActiveState,
  { view, progress }: Found,
  phase: Waiting['mark'],
  now: number,
): StagedState {
  const { name, startedAt, hasServed = false, completedAt, print } = state.active;
  const { objects, fulfilled: many, first, unbound, cell } = view;
  const reason = unbound ?? cell ?? first?.reason;
  const mark = {
    name,
    phase,
    startedAt: new Date(startedAt).toISOString(),
    objects,
    fulfilled: many,
    ...(first === undefined ? {} : { firstUnfulfilled: first.object }),
    ...(reason === undefined ? {} : { reason }),
    ...(hasServed ? { completed: true } : {}),
    ...(completedAt === undefined || print === undefined ? {} : { completedWith: print }),
    ...clustersSeen(state, progress),
  };
  return markStage(state, mark, now);
}

/** While the stage is not bound, what was seen last of its clusters stays. */
function clustersSeen(
  { stages, active }: ActiveState,
  progress: Progress | undefined,
): Pick<StageMark, 'clusters'> {
  const clusters =
    progress === undefined
      ? stages.find(({ name }) => name === active.name)?.clusters
      : summarizeProgress(progress);
  return clusters === undefined || active.clusters === undefined ? {} : { clusters };
}

function complete(state: ActiveState, at: Found, { observed, spec, now }: Situation): StagedTurn {
  const active = { ...state.active, completedAt: state.active.completedAt ?? now, hasServed: true };
  const hasCondition = spec.stages.at(-1)?.condition !== undefined;
  const how = hasCondition
    ? 'is fulfilled, and is the last one.'
    : 'is the last one and has no condition: KubeStellar was asked to deploy the workload.';
  const message = `Stage ${active.name} ${how}`;
  const done = { ...clearRequest({ ...state, active }, 'promote'), active };
  const own = observed.policies.find(({ stage }) => stage === active.name);
  // It is to reach whatever it selects from now on.
  if (own?.only !== undefined)
    return { state: seen(done, at, 'Fulfilled', now), decision: { do: 'Look', message } };
  const { unbound, isOutOfDate } = at.view;
  if (unbound !== undefined && isOutOfDate === true)
    return wait(done, at, notBound(active.name, unbound), now);
  return wait(done, at, { phase: 'Completed', reason: 'Completed', message, mark: 'Fulfilled' }, now);
}

function fulfilled(
  state: ActiveState,
  at: Found,
  { stage, situation }: { readonly stage: Stage; readonly situation: Situation },
): StagedTurn {
  if (stage.approval !== 'Manual') return pass(state, at, situation);
  const message = `Stage ${stage.name} is fulfilled. Send promote to begin the next one, or abort to roll this one back.`;
  return wait(
    state,
    at,
    { phase: 'Paused', reason: 'WaitingForApproval', message, mark: 'Fulfilled' },
    situation.now,
  );
}

/** Goes on to the next stage, unless something holds it. */
function pass(state: ActiveState, at: Found, situation: Situation): StagedTurn {
  const { spec, now } = situation;
  const { name } = state.active;
  const next = spec.stages[spec.stages.findIndex((one) => one.name === name) + 1];
  if (next === undefined) return complete({ ...clearHold(state), active: state.active }, at, situation);
  const passed = clearHold(clearRequest(seen(state, at, 'Passed', now), 'promote'));
  const turn = beginStage(passed, next, situation);
  return turn.decision.do === 'Wait' ? { ...turn, state: seen(state, at, 'Fulfilled', now) } : turn;
}

interface Trouble {
  readonly reason: 'TimedOut' | 'TooManyFailures';
  readonly message: string;
}

/** Why a stage does not go on by itself: too many clusters have failed, or it is late. */
function troubleOf(
  { active }: ActiveState,
  { view, progress }: Found,
  { stage, situation }: { readonly stage: Stage; readonly situation: Situation },
): Trouble | undefined {
  const { name, timeout = '' } = stage;
  if (progress?.isBreached === true) {
    return { reason: 'TooManyFailures', message: describeFailures(name, progress, situation.observed) };
  }
  const late = computeDeadline(active, stage);
  if (late === undefined || situation.now < late) return undefined;
  const why = view.unbound ?? view.cell ?? view.first?.reason ?? 'The stage observes no objects.';
  const message = `Stage ${name} was not fulfilled within ${timeout}: ${why}`;
  return { reason: 'TimedOut', message };
}

function giveUp(
  state: ActiveState,
  at: Found,
  { stage, now, trouble }: { readonly stage: Stage; readonly now: number; readonly trouble: Trouble },
): StagedTurn {
  const { message } = trouble;
  const { hasServed = false } = state.active;
  if (stage.onTimeout === 'RollBack' && !hasServed) {
    return {
      state: { ...seen(state, at, 'TimedOut', now), rollingBack: trouble },
      decision: { do: 'Look', message },
    };
  }
  const why =
    ' Its clusters may already have received the workload, so Okra does not roll it back automatically.';
  const said = stage.onTimeout === 'RollBack' ? `${message}${why}` : message;
  const held: Held = { ...trouble, message: said, stage: stage.name };
  return wait({ ...state, held }, at, heldBack(held, state), now);
}

/** A wait, and where it leaves the stage. */
type Waiting = Omit<StagedWait, 'do'> & { readonly mark: StageMark['phase'] };

/** What a stage waits for that a person has to let go on. */
function heldBack(
  { reason, message, stage }: Held,
  { active: { name, fulfilledSince } }: ActiveState,
): Waiting {
  // What was late may be a stage behind it, which was taken back.
  const isLate = reason !== 'Aborted' && stage === name;
  const unfulfilled = isLate ? 'TimedOut' : 'Waiting';
  return {
    phase: reason === 'Aborted' ? 'RolledBack' : 'Paused',
    reason,
    message: `${message} Send retry to try again, promote to continue regardless, or abort.`,
    isTrouble: true,
    mark: fulfilledSince === undefined ? unfulfilled : 'Fulfilled',
  };
}

/** What a stage waits for that KubeStellar has not bound. */
const notBound = (stage: string, unbound: string): Waiting => ({
  phase: 'Progressing',
  reason: 'Binding',
  message: `Stage ${stage}: ${unbound}`,
  mark: 'Binding',
});

/** What a stage waits for that is neither over nor late. */
function stillWaiting(
  stage: Stage,
  active: ActiveStage,
  { view, progress }: { readonly view: StageView; readonly progress: Progress | undefined },
): Waiting {
  const { name } = stage;
  const { unbound, objects, fulfilled: many, first, cell } = view;
  if (unbound !== undefined) return notBound(name, unbound);
  if (active.fulfilledSince !== undefined) {
    const message = `Stage ${name} is fulfilled and must stay fulfilled for ${stage.soak ?? '0s'}.`;
    return { phase: 'Progressing', reason: 'Soaking', message, mark: 'Soaking' };
  }
  if (stage.condition === undefined && objects > 0 && many === objects && cell === undefined) {
    const message = `Stage ${name} has no condition. Send promote to begin the next one.`;
    return { phase: 'Paused', reason: 'NoCondition', message, mark: 'Fulfilled' };
  }
  if (progress !== undefined) {
    const message = `Stage ${name}: ${clustersIn(progress)}${cell ?? whyNot(first)}`;
    return { phase: 'Progressing', reason: 'Waiting', message, mark: 'Waiting' };
  }
  const what =
    first === undefined ? (cell ?? 'The stage observes no objects.') : `${first.object}: ${first.reason}`;
  const message = `Stage ${name}: ${many} of ${objects} objects fulfil it. ${what}`;
  return { phase: 'Progressing', reason: 'Waiting', message, mark: 'Waiting' };
}

const whyNot = (first: StageView['first']): string =>
  first === undefined ? '' : `${first.object}: ${first.reason}`;

function clustersIn({ of, done, failed, underway }: Progress): string {
  const late = failed.length === 0 ? '' : `, ${failed.length} have failed`;
  return `${done.length} of ${of} clusters fulfil it, ${underway.length} in progress${late}. `;
}
