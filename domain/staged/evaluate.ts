import type { Stage } from '../../crds/staged-binding-policy.ts';
import { parseDuration } from '../duration.ts';
import type { StagedTurn } from './decision.ts';
import type { StageView } from './observation.ts';
import { heldBack, stillWaiting, type Waiting } from './waits.ts';
import { begin, type Situation } from './place.ts';
import { answered, marked, withoutHold, type ActiveStage, type Held, type StagedState } from './state.ts';

type Active = StagedState & { readonly active: ActiveStage };

/** Says what comes next for a stage that is placed: it waits, soaks, is over, or is late. */
export function evaluate(before: Active, view: StageView, situation: Situation): StagedTurn {
  const { spec, now } = situation;
  const stage = spec.stages.find(({ name }) => name === before.active.name);
  if (stage === undefined)
    return { state: before, decision: { do: 'Look', message: 'The stages have changed.' } };
  const isLast = spec.stages.at(-1) === stage;
  const state = looked(before, view, { now, isFulfilled: isFulfilled(stage, view, isLast) });
  const { active, requests } = state;
  if (requests.promote !== undefined) return pass(state, view, situation);
  if (active.completedAt !== undefined) return complete(state, view, now);
  if (state.held !== undefined) return wait(state, view, heldBack(state.held, active), now);
  if (isSoaked(active, stage, now)) {
    return isLast ? complete(state, view, now) : fulfilled(state, view, { stage, situation });
  }
  const late = lateness(active, stage);
  if (late !== undefined && now >= late) return timeOut(state, view, { stage, now });
  return wait(
    state,
    view,
    { ...stillWaiting(stage, active, view), until: soonest(late, soakEnd(active, stage)) },
    now,
  );
}

/** What a look changes: a stage whose objects or clusters have changed begins again. */
function looked(
  state: Active,
  { print, unbound }: StageView,
  { now, isFulfilled: holds }: { readonly now: number; readonly isFulfilled: boolean },
): Active {
  const { fulfilledSince, completedAt, ...active } = state.active;
  // Until it is bound nobody knows what it is about; it is not fulfilled, and may turn out to be the same as before.
  if (unbound !== undefined) {
    return { ...state, active: { ...active, ...(completedAt === undefined ? {} : { completedAt }) } };
  }
  const isAnother = active.print !== undefined && active.print !== print;
  if (isAnother) {
    return {
      ...state,
      active: { ...active, print, startedAt: now, ...(holds ? { fulfilledSince: now } : {}) },
    };
  }
  return {
    ...state,
    active: {
      ...active,
      print,
      ...(holds ? { fulfilledSince: fulfilledSince ?? now } : {}),
      ...(completedAt === undefined ? {} : { completedAt }),
    },
  };
}

function isFulfilled(stage: Stage, view: StageView, isLast: boolean): boolean {
  const { unbound, objects, fulfilled: many, cell } = view;
  if (unbound !== undefined || cell !== undefined || objects === 0 || many < objects) return false;
  return stage.condition !== undefined || isLast;
}

const soakEnd = ({ fulfilledSince }: ActiveStage, { soak }: Stage): number | undefined =>
  fulfilledSince === undefined ? undefined : fulfilledSince + seconds(soak);

const isSoaked = (active: ActiveStage, stage: Stage, now: number): boolean =>
  now >= (soakEnd(active, stage) ?? Number.POSITIVE_INFINITY);

/** Until when it has to be fulfilled; what is fulfilled already is not late while it soaks. */
function lateness({ startedAt, fulfilledSince }: ActiveStage, { timeout }: Stage): number | undefined {
  return timeout === undefined || fulfilledSince !== undefined ? undefined : startedAt + seconds(timeout);
}

const seconds = (duration: string | undefined): number => 1000 * parseDuration(duration ?? 0);

const soonest = (...times: readonly (number | undefined)[]): number | undefined => {
  const known = times.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};

function wait(state: Active, view: StageView, { mark, ...said }: Waiting, now: number): StagedTurn {
  return { state: seen(state, view, mark, now), decision: { do: 'Wait', ...said } };
}

/** Marks where the active stage stands, with what was seen of it. */
function seen(state: Active, view: StageView, phase: Waiting['mark'], now: number): StagedState {
  const { name, startedAt } = state.active;
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
  };
  return marked(state, mark, now);
}

function complete(state: Active, view: StageView, now: number): StagedTurn {
  const active = { ...state.active, completedAt: state.active.completedAt ?? now };
  const message = `Stage ${active.name} is fulfilled, and is the last one.`;
  const done = answered({ ...state, active }, 'promote');
  return wait(
    { ...done, active },
    view,
    { phase: 'Completed', reason: 'Completed', message, mark: 'Fulfilled' },
    now,
  );
}

function fulfilled(
  state: Active,
  view: StageView,
  { stage, situation }: { readonly stage: Stage; readonly situation: Situation },
): StagedTurn {
  if (stage.approval !== 'Manual') return pass(state, view, situation);
  const message = `Stage ${stage.name} is fulfilled. Send promote to begin the next one, or abort to take this one back.`;
  return wait(
    state,
    view,
    { phase: 'Paused', reason: 'WaitingForApproval', message, mark: 'Fulfilled' },
    situation.now,
  );
}

/** Goes on to the next stage, unless something holds it. */
function pass(state: Active, view: StageView, situation: Situation): StagedTurn {
  const { spec, now } = situation;
  const { name } = state.active;
  const next = spec.stages[spec.stages.findIndex((one) => one.name === name) + 1];
  if (next === undefined) return complete(state, view, now);
  const passed = withoutHold(answered(seen(state, view, 'Passed', now), 'promote'));
  const turn = begin(passed, next.name, situation);
  return turn.decision.do === 'Wait' ? { ...turn, state: seen(state, view, 'Fulfilled', now) } : turn;
}

function timeOut(
  state: Active,
  view: StageView,
  { stage, now }: { readonly stage: Stage; readonly now: number },
): StagedTurn {
  const { name, timeout = '', onTimeout } = stage;
  const why = view.unbound ?? view.cell ?? view.first?.reason ?? 'No object is looked at.';
  const message = `Expected stage ${name} to be fulfilled within ${timeout}, got: ${why}`;
  if (onTimeout === 'RollBack') {
    const rollingBack = { reason: 'TimedOut', message } as const;
    return {
      state: { ...seen(state, view, 'TimedOut', now), rollingBack },
      decision: { do: 'Look', message },
    };
  }
  const held: Held = { reason: 'TimedOut', stage: name, message };
  return wait({ ...state, held }, view, heldBack(held, state.active), now);
}
