import type { Stage } from '../../crds/staged-binding-policy.ts';
import { parseDuration } from '../duration.ts';
import { given, omit } from '../model/fields.ts';
import type { Situation, StageView } from './observation.ts';
import { beginStage, listed, reachNextClusters } from './place.ts';
import { computeProgress, readStrategy, type ClusterMark, type Progress } from './progressive.ts';
import {
  clearRequest,
  markStage,
  type ActiveStage,
  type ActiveState,
  type Held,
  type StagedDecision,
  type StagedState,
  type StagedTurn,
  type StagedWait,
  type StageMark,
} from './state.ts';

/** Computes when a stage is late; undefined without a timeout, or while it is fulfilled and soaks. */
const computeDeadline = (
  { countsFrom, fulfilledSince }: ActiveStage,
  { timeout }: Stage,
): number | undefined =>
  timeout === undefined || fulfilledSince !== undefined
    ? undefined
    : countsFrom + 1000 * parseDuration(timeout);

/** Has the time of the stage stand still while what holds it is no fault of its workload, and that of clusters nobody can look at. */
export function holdTime(state: StagedState, decision: StagedDecision, now: number): StagedState {
  if (decision.do !== 'Wait') return state;
  const { phase, reason } = decision;
  const isUnseen = phase === 'Failed';
  const isHeld = isUnseen || phase === 'Waiting' || reason === 'Paused' || reason === 'Removing';
  const { active } = state;
  return isHeld && active !== undefined
    ? { ...state, active: { ...active, stopped: { at: now, isUnseen } } }
    : state;
}

/** Has the time of the stage continue, without that for which it stood still. */
export function resumeTime(state: StagedState, now: number): StagedState {
  if (state.active?.stopped === undefined) return state;
  const { stopped, clusters, ...active } = state.active;
  const lost = now - stopped.at;
  const later = (mark: ClusterMark): ClusterMark =>
    stopped.isUnseen && mark.fulfilledSince === undefined
      ? { ...mark, startedAt: mark.startedAt + lost }
      : mark;
  const marks = given({ clusters: clusters?.map(later) });
  return { ...state, active: { ...active, countsFrom: active.countsFrom + lost, ...marks } };
}

interface StageSituation extends Situation {
  readonly stage: Stage;
  readonly isLast: boolean;
  readonly view: StageView;
  /** Undefined unless it reaches its clusters a few at a time, and while they are unknown. */
  readonly progress: Progress | undefined;
}

/** Says what comes next for a stage that is placed: it waits, soaks, is over, or is late. */
export function evaluateStage(known: ActiveState, situation: Situation): StagedTurn | undefined {
  const { observed, spec, now } = situation;
  const { view } = observed;
  const stage = spec.stages.find(({ name }) => name === known.active.name);
  if (view === undefined || stage === undefined) return undefined;
  const isLast = spec.stages.at(-1) === stage;
  // What was completed as the last stage continues when there is one behind it.
  const before = isLast ? known : { ...known, active: omit(known.active, 'completedAt') };
  const progress = findProgress(before, stage, { view, spec, now });
  const at = { ...situation, stage, isLast, view, progress };
  const state = observeStage(before, at);
  const { active, requests } = state;
  if (requests.promote !== undefined) return pass(state, at);
  if (active.completedAt !== undefined) return complete(state, at);
  if (state.held !== undefined) return wait(state, at, heldBack(state.held, state));
  if (isSoaked(active, at)) {
    if (isLast) return complete(state, at);
    if (stage.approval !== 'Manual') return pass(state, at);
    const message = `Stage ${stage.name} is fulfilled. Send promote to begin the next one, or abort to roll this one back.`;
    return wait(state, at, { phase: 'Paused', reason: 'WaitingForApproval', message, mark: 'Fulfilled' });
  }
  const trouble = troubleOf(state, at);
  if (trouble !== undefined) return giveUp(state, at, trouble);
  const next = progress === undefined ? undefined : reachNextClusters(state, progress, situation);
  if (next !== undefined && next.do !== 'Wait') return { state: seen(state, at, 'Waiting'), decision: next };
  const waiting = next === undefined ? stillWaiting(active, at) : { ...next, mark: 'Waiting' as const };
  const times = [computeDeadline(active, stage), soakEnd(active, stage), progress?.until, next?.until];
  const until = Math.min(...times.filter((one) => one !== undefined));
  return wait(state, at, { ...waiting, until: Number.isFinite(until) ? until : undefined });
}

/** Finds how far a stage is with its clusters; they have as long again when what they are to have has changed. */
function findProgress(
  { active }: ActiveState,
  stage: Stage,
  { view, spec, now }: Pick<StageSituation, 'view' | 'spec' | 'now'>,
): Progress | undefined {
  const strategy = readStrategy(spec, stage);
  if (strategy === undefined || view.clusters === undefined) return undefined;
  const isSame = view.unbound !== undefined || active.print === undefined || active.print === view.print;
  return computeProgress(strategy, view.clusters, (isSame ? active.clusters : undefined) ?? [], now);
}

/** Takes up what a look has found: a stage whose objects or clusters have changed begins again. */
function observeStage(state: ActiveState, at: StageSituation): ActiveState {
  const { view, progress, now } = at;
  const { print, unbound } = view;
  const { fulfilledSince, completedAt, clusters: before, ...others } = state.active;
  const isFulfilled = isStageFulfilled(at);
  const wasSoaked = isSoaked(state.active, at);
  // What was fulfilled in time has as long again: it was edited, or its clusters have a bad moment.
  const hasAgain = !isFulfilled && fulfilledSince !== undefined && (wasSoaked || unbound !== undefined);
  const active = hasAgain ? { ...others, countsFrom: now } : others;
  // Until it is bound nobody knows what it is about; it is not fulfilled, and may turn out to be the same as before.
  if (unbound !== undefined)
    return { ...state, active: { ...active, ...given({ clusters: before, completedAt }) } };
  const clusters = progress?.marks;
  const hasJoined =
    before !== undefined && clusters?.some(({ name }) => !before.some((one) => one.name === name)) === true;
  const isAnother =
    active.print !== undefined && (active.print !== print || (completedAt !== undefined && hasJoined));
  const begun = isAnother
    ? { ...active, startedAt: now, countsFrom: now }
    : { ...active, ...given({ completedAt }) };
  const since = isAnother ? now : (fulfilledSince ?? now);
  const marks = given({ fulfilledSince: isFulfilled ? since : undefined, clusters });
  return { ...state, active: { ...begun, print, ...marks } };
}

function isStageFulfilled({ spec, stage, view, isLast, progress }: StageSituation): boolean {
  const { unbound, objects, fulfilled, cell } = view;
  if (unbound !== undefined || cell !== undefined || objects === 0) return false;
  if (progress !== undefined) return progress.isOver;
  // Without knowing which clusters there are, those that were reached may be some of them.
  if (readStrategy(spec, stage) !== undefined || fulfilled < objects) return false;
  return stage.condition !== undefined || isLast;
}

const soakEnd = ({ fulfilledSince }: ActiveStage, { soak }: Stage): number | undefined =>
  fulfilledSince === undefined ? undefined : fulfilledSince + 1000 * parseDuration(soak ?? 0);

const isSoaked = (active: ActiveStage, { stage, now }: StageSituation): boolean =>
  now >= (soakEnd(active, stage) ?? Number.POSITIVE_INFINITY);

const wait = (state: ActiveState, at: StageSituation, { mark, ...said }: Waiting): StagedTurn => ({
  state: seen(state, at, mark),
  decision: { do: 'Wait', ...said },
});

function seen(
  state: ActiveState,
  { view, progress, now }: StageSituation,
  phase: StageMark['phase'],
): StagedState {
  const { name, startedAt, hasServed = false, completedAt, print, clusters } = state.active;
  const { objects, fulfilled, first, unbound, cell } = view;
  // While the stage is not bound, what was seen last of its clusters stays.
  const before = state.stages.find((one) => one.name === name)?.clusters;
  const summary = progress && {
    of: progress.of,
    reached: progress.marks.length,
    done: progress.done.length,
    failed: progress.failed.length,
    failing: progress.failed.slice(0, 20),
  };
  const mark = {
    name,
    phase,
    startedAt: new Date(startedAt).toISOString(),
    objects,
    fulfilled,
    ...given({
      firstUnfulfilled: first?.object,
      reason: unbound ?? cell ?? first?.reason,
      completed: hasServed || undefined,
      completedWith: completedAt === undefined ? undefined : print,
      clusters: clusters && (summary ?? before),
    }),
  };
  return markStage(state, mark, now);
}

function complete(state: ActiveState, at: StageSituation): StagedTurn {
  const { observed, stage, view, now } = at;
  const active = { ...state.active, completedAt: state.active.completedAt ?? now, hasServed: true };
  const how =
    stage.condition === undefined
      ? 'is the last one and has no condition: KubeStellar was asked to deploy the workload.'
      : 'is fulfilled, and is the last one.';
  const message = `Stage ${active.name} ${how}`;
  const done = { ...clearRequest(state, 'promote'), active };
  const own = observed.policies.find((one) => one.stage === active.name);
  // It is to reach whatever it selects from now on.
  if (own?.only !== undefined)
    return { state: seen(done, at, 'Fulfilled'), decision: { do: 'Look', message } };
  const { unbound, isOutOfDate } = view;
  if (unbound !== undefined && isOutOfDate === true) return wait(done, at, notBound(active.name, unbound));
  return wait(done, at, { phase: 'Completed', reason: 'Completed', message, mark: 'Fulfilled' });
}

function pass(state: ActiveState, at: StageSituation): StagedTurn {
  const { stages } = at.spec;
  const next = stages[stages.indexOf(at.stage) + 1];
  if (next === undefined) return complete({ ...omit(state, 'held'), active: state.active }, at);
  const passed = omit(clearRequest(seen(state, at, 'Passed'), 'promote'), 'held');
  const turn = beginStage(passed, next, at);
  return turn.decision.do === 'Wait' ? { ...turn, state: seen(state, at, 'Fulfilled') } : turn;
}

type Trouble = Pick<Held, 'reason' | 'message'>;

/** Why a stage does not continue by itself: too many clusters have failed, or it is late. */
function troubleOf(
  { active }: ActiveState,
  { stage, view, progress, now }: StageSituation,
): Trouble | undefined {
  const { name, timeout = '' } = stage;
  if (progress?.isBreached === true) {
    const { failed, of } = progress;
    const why = view.first === undefined ? '' : ` ${view.first.object}: ${view.first.reason}`;
    const message = `Stage ${name}: ${failed.length} of ${of} clusters did not fulfil it in time: ${listed(failed)}.${why}`;
    return { reason: 'TooManyFailures', message };
  }
  const late = computeDeadline(active, stage);
  if (late === undefined || now < late) return undefined;
  const why = view.unbound ?? view.cell ?? view.first?.reason ?? 'The stage observes no objects.';
  return { reason: 'TimedOut', message: `Stage ${name} was not fulfilled within ${timeout}: ${why}` };
}

function giveUp(state: ActiveState, at: StageSituation, trouble: Trouble): StagedTurn {
  const { name, onTimeout } = at.stage;
  const { message } = trouble;
  const { hasServed = false } = state.active;
  if (onTimeout === 'Rollback' && !hasServed)
    return {
      state: { ...seen(state, at, 'TimedOut'), rollingBack: trouble },
      decision: { do: 'Look', message },
    };
  const why =
    onTimeout === 'Rollback'
      ? ' Its clusters may already have received the workload, so Okra does not roll it back automatically.'
      : '';
  const held: Held = { ...trouble, message: `${message}${why}`, stage: name };
  return wait({ ...state, held }, at, heldBack(held, state));
}

/** A wait, and where it leaves the stage. */
type Waiting = Omit<StagedWait, 'do'> & { readonly mark: StageMark['phase'] };

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

const notBound = (stage: string, unbound: string): Waiting => ({
  phase: 'Progressing',
  reason: 'Binding',
  message: `Stage ${stage}: ${unbound}`,
  mark: 'Binding',
});

function stillWaiting({ fulfilledSince }: ActiveStage, { stage, view, progress }: StageSituation): Waiting {
  const { name } = stage;
  const { unbound, objects, fulfilled, first, cell } = view;
  if (unbound !== undefined) return notBound(name, unbound);
  if (fulfilledSince !== undefined) {
    const message = `Stage ${name} is fulfilled and must stay fulfilled for ${stage.soak ?? '0s'}.`;
    return { phase: 'Progressing', reason: 'Soaking', message, mark: 'Soaking' };
  }
  if (stage.condition === undefined && objects > 0 && fulfilled === objects && cell === undefined) {
    const message = `Stage ${name} has no condition. Send promote to begin the next one.`;
    return { phase: 'Paused', reason: 'NoCondition', message, mark: 'Fulfilled' };
  }
  const why = first && `${first.object}: ${first.reason}`;
  const said =
    progress === undefined
      ? `${fulfilled} of ${objects} objects fulfil it. ${why ?? cell ?? 'The stage observes no objects.'}`
      : `${clustersIn(progress)} ${cell ?? why ?? ''}`;
  return { phase: 'Progressing', reason: 'Waiting', message: `Stage ${name}: ${said}`, mark: 'Waiting' };
}

function clustersIn({ of, done, failed, underway }: Progress): string {
  const late = failed.length === 0 ? '' : `, ${failed.length} have failed`;
  return `${done.length} of ${of} clusters fulfil it, ${underway.length} in progress${late}.`;
}
