import {
  initialStagedState,
  markStage,
  stagedRequestNames,
  type StagedAsked,
  type StagedState,
} from './state.ts';
import type { ObservedStaged, PresentPolicy } from './observation.ts';
import { acceptStagedRequest } from './requests.ts';
import type { Stamp } from '../model/request.ts';
import { parseTime } from '../time.ts';

type Status = PresentPolicy['status'];

/** Restores the state from the status, once; without a status, from the BindingPolicies. */
export function restoreState(before: StagedState, observed: ObservedStaged, now: number): StagedState {
  const { object } = observed;
  if (object === undefined) return before;
  const state = ofObject(before, object.uid);
  if (state.isRestored) return isUntouched(state) ? fromPolicies(state, observed, now) : state;
  const { status } = object;
  const { early = [], ...others } = state;
  const known: StagedState = {
    ...others,
    isRestored: true,
    stages: status.stages ?? [],
    asked: [...askedIn(status), ...state.asked],
    ...pausedIn(state, status),
    ...(status.held === undefined ? {} : heldIn(status, status.held)),
  };
  const taken =
    status.activeStage === undefined
      ? fromPolicies(known, observed, now)
      : { ...known, active: activeIn(object, status.activeStage, now) };
  return early.reduce((next, { name, request }) => acceptStagedRequest(next, name, request), taken);
}

/** Whether no stage is known to have begun: the BindingPolicies may not have been read yet. */
const isUntouched = ({ active, held, stages }: StagedState): boolean =>
  active === undefined && held === undefined && stages.every(({ phase }) => phase === 'Pending');

/** Forgets what is known of another object of the same name. */
const ofObject = (state: StagedState, uid: string): StagedState =>
  state.uid === undefined || state.uid === uid ? { ...state, uid } : { ...initialStagedState, uid };

function activeIn(
  { status, generation }: PresentPolicy,
  name: string,
  now: number,
): NonNullable<StagedState['active']> {
  const mark = status.stages?.find((one) => one.name === name);
  const startedAt = parseTime(mark?.startedAt) ?? now;
  const isCompleted = status.phase === 'Completed';
  // How long it has been fulfilled nobody knows for sure, so that it soaks again, and has as long again; what was completed stays so, unless the spec, the workload or its clusters have changed since.
  if (isCompleted && status.observedGeneration === generation) {
    const print = mark?.completedWith;
    const completedAt = parseTime(mark?.since) ?? now;
    const over = { name, startedAt, countsFrom: now, completedAt, hasServed: true };
    return print === undefined ? over : { ...over, print };
  }
  const hasServed = isCompleted || mark?.completed === true;
  return { name, startedAt, countsFrom: now, ...(hasServed ? { hasServed } : {}) };
}

function heldIn(status: Status, held: NonNullable<Status['held']>): Partial<StagedState> {
  if (status.phase !== 'RollingBack') return { held };
  const { reason, by, message, to } = held;
  const said = { ...(by === undefined ? {} : { by }), ...(to === undefined ? {} : { to }) };
  return { rollingBack: { reason, message, ...said } };
}

const pausedIn = (state: StagedState, { paused }: Status): Partial<StagedState> =>
  paused === undefined ? {} : { requests: { paused: stampOf(paused), ...state.requests } };

const askedIn = ({ requests = [] }: Status): readonly StagedAsked[] =>
  requests.flatMap((request) => {
    const action = stagedRequestNames.find((name) => name === request.action);
    return action === undefined ? [] : [{ action, ...stampOf(request) }];
  });

const stampOf = (said: { readonly by: string; readonly reason: string; readonly time: string }): Stamp => ({
  by: said.by,
  reason: said.reason,
  at: parseTime(said.time) ?? 0,
});

/** Takes the newest stage with a BindingPolicy for the active one, and those before it for passed. */
function fromPolicies(state: StagedState, { object, policies }: ObservedStaged, now: number): StagedState {
  const names = (object?.spec?.stages ?? []).map(({ name }) => name);
  const newest = names.findLastIndex((name) => policies.some(({ stage }) => stage === name));
  const name = names[newest];
  if (name === undefined) return state;
  const passed = names
    .slice(0, newest)
    .reduce((known, one) => markStage(known, { name: one, phase: 'Passed' }, now), state);
  // It may have served.
  return { ...passed, active: { name, startedAt: now, countsFrom: now, hasServed: true } };
}
