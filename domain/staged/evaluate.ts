import type { Stage } from '../../crds/staged-binding-policy.ts';
import { parseDuration } from '../duration.ts';
import type { StagedTurn } from './decision.ts';
import type { StageView } from './observation.ts';
import { heldBack, notBound, stillWaiting, type Waiting } from './waits.ts';
import { looked, sinceChange } from './look.ts';
import { isSkipped } from './edits.ts';
import { lateness } from './lateness.ts';
import { begin } from './place.ts';
import type { Situation } from './situation.ts';
import { clustersOf, failuresOf, goOn, progressOf } from './clusters.ts';
import { strategyOf, type Progress } from './progressive.ts';
import {
  answered,
  isPassed,
  marked,
  withoutHold,
  type ActiveStage,
  type Held,
  type StagedState,
  type StageMark,
} from './state.ts';

type Active = StagedState & { readonly active: ActiveStage };

/** Says what comes next for a stage that is placed: it waits, soaks, is over, or is late. */
export function evaluate(given: Active, view: StageView, situation: Situation): StagedTurn {
  const { spec, now } = situation;
  const stage = spec.stages.find(({ name }) => name === given.active.name);
  if (stage === undefined)
    return { state: given, decision: { do: 'Look', message: 'The stages have changed.' } };
  const isLast = spec.stages.at(-1) === stage;
  const before = isLast ? given : goingOn(given);
  const progress = progressOf(sinceChange(before, view), view, situation);
  // Without knowing which clusters there are, those that were reached may be some of them.
  const isUnknown = progress === undefined && strategyOf(spec, stage) !== undefined;
  const holds = !isUnknown && isFulfilled(stage, view, { isLast, progress });
  const wasSoaked = isSoaked(before.active, stage, now);
  const state = looked(before, view, { now, isFulfilled: holds, wasSoaked, marks: progress?.marks });
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
  const next = progress === undefined ? undefined : goOn(state, progress, situation);
  if (next !== undefined && next.do !== 'Wait')
    return { state: seen(state, at, 'Waiting', now), decision: next };
  const waiting =
    next === undefined ? stillWaiting(stage, active, at) : { ...next, mark: 'Waiting' as const };
  const until = soonest(lateness(active, stage), soakEnd(active, stage), progress?.until, next?.until);
  return wait(state, at, { ...waiting, until }, now);
}

/** What was completed as the last stage goes on when there is one behind it. */
function goingOn(state: Active): Active {
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

function wait(state: Active, at: Found, { mark, ...said }: Waiting, now: number): StagedTurn {
  return { state: seen(state, at, mark, now), decision: { do: 'Wait', ...said } };
}

/** Marks where the active stage stands, with what was seen of it. */
function seen(state: Active, { view, progress }: Found, phase: Waiting['mark'], now: number): StagedState {
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
  return marked(state, mark, now);
}

/** While the stage is not bound, what was seen last of its clusters stays. */
function clustersSeen(
  { stages, active }: Active,
  progress: Progress | undefined,
): Pick<StageMark, 'clusters'> {
  const clusters =
    progress === undefined ? stages.find(({ name }) => name === active.name)?.clusters : clustersOf(progress);
  return clusters === undefined || active.clusters === undefined ? {} : { clusters };
}

function complete(state: Active, at: Found, { observed, spec, now }: Situation): StagedTurn {
  const active = { ...state.active, completedAt: state.active.completedAt ?? now, hasServed: true };
  const leftOut = spec.stages.map(({ name }) => name).filter((name) => isSkipped(state, spec, name));
  const besides =
    leftOut.length === 0 ? '' : ` Not gone through, because put in later: ${leftOut.join(', ')}.`;
  const hasCondition = spec.stages.at(-1)?.condition !== undefined;
  const how = hasCondition
    ? 'is fulfilled, and is the last one.'
    : 'is the last one and has no condition: KubeStellar was asked to send it.';
  const message = `Stage ${active.name} ${how}${besides}`;
  const done = { ...answered({ ...state, active }, 'promote'), active };
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
  state: Active,
  at: Found,
  { stage, situation }: { readonly stage: Stage; readonly situation: Situation },
): StagedTurn {
  if (stage.approval !== 'Manual') return pass(state, at, situation);
  const message = `Stage ${stage.name} is fulfilled. Send promote to begin the next one, or abort to take this one back.`;
  return wait(
    state,
    at,
    { phase: 'Paused', reason: 'WaitingForApproval', message, mark: 'Fulfilled' },
    situation.now,
  );
}

/** Goes on to the next stage, unless something holds it. */
function pass(state: Active, at: Found, situation: Situation): StagedTurn {
  const { spec, now } = situation;
  const { name } = state.active;
  const later = spec.stages.slice(spec.stages.findIndex((one) => one.name === name) + 1);
  const next = later.find((one) => !isPassed(state, one.name)) ?? later.at(-1);
  if (next === undefined) return complete({ ...withoutHold(state), active: state.active }, at, situation);
  const passed = withoutHold(answered(seen(state, at, 'Passed', now), 'promote'));
  const turn = begin(passed, next, situation);
  return turn.decision.do === 'Wait' ? { ...turn, state: seen(state, at, 'Fulfilled', now) } : turn;
}

interface Trouble {
  readonly reason: 'TimedOut' | 'TooManyFailures';
  readonly message: string;
}

/** Why a stage does not go on by itself: too many clusters have failed, or it is late. */
function troubleOf(
  { active }: Active,
  { view, progress }: Found,
  { stage, situation }: { readonly stage: Stage; readonly situation: Situation },
): Trouble | undefined {
  const { name, timeout = '' } = stage;
  if (progress?.isBreached === true) {
    return { reason: 'TooManyFailures', message: failuresOf(name, progress, situation.observed) };
  }
  const late = lateness(active, stage);
  if (late === undefined || situation.now < late) return undefined;
  const why = view.unbound ?? view.cell ?? view.first?.reason ?? 'No object is looked at.';
  const message = `Expected stage ${name} to be fulfilled within ${timeout}, got: ${why}`;
  return { reason: 'TimedOut', message };
}

function giveUp(
  state: Active,
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
  const why = ' Its clusters may have been served before, so Okra does not take it back by itself.';
  const said = stage.onTimeout === 'RollBack' ? `${message}${why}` : message;
  const held: Held = { ...trouble, message: said, stage: stage.name };
  return wait({ ...state, held }, at, heldBack(held, state), now);
}
