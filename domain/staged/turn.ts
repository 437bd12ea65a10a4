import { holdTime, resumeTime } from './active-stage.ts';
import type { StagedTurn } from './decision.ts';
import { evaluate } from './evaluate.ts';
import type { ObservedStaged, PresentPolicy, StagedLook } from './observation.ts';
import { beginFirst, place } from './place.ts';
import { abortedMessage } from './requests.ts';
import { restored } from './restore.ts';
import { rollBack } from './roll-back.ts';
import { followStages } from './stages.ts';
import { answered, withoutHold, type StagedState } from './state.ts';

/** The look by which to go on; the first one of a run may find that a stage is taken back. */
export const nextLook = (
  name: string,
  { isRestored, active, rollingBack, requests }: StagedState,
): StagedLook => ({
  name,
  ...(active === undefined ? {} : { at: active.name }),
  ...(isRestored && rollingBack === undefined && requests.abort === undefined ? {} : { isTakingBack: true }),
});

/** Answers with the one thing to do next for a StagedBindingPolicy, and what is remembered of this turn. */
export function takeStagedTurn(observed: ObservedStaged, before: StagedState, now: number): StagedTurn {
  const { state, decision } = nextTurn(observed, resumeTime(before, now), now);
  return { state: holdTime(state, decision, now), decision };
}

function nextTurn(observed: ObservedStaged, before: StagedState, now: number): StagedTurn {
  const { object } = observed;
  if (object === undefined) {
    return { state: before, decision: { do: 'Close', message: 'The StagedBindingPolicy is gone.' } };
  }
  if (object.isDeleting) return { state: before, decision: goingAway(observed, object) };
  const { policies } = observed;
  const followed = followStages(restored(before, observed, now), { policies, object, now });
  const state = heard(followed.state, now);
  const { rollingBack } = state;
  if (rollingBack !== undefined) {
    const problem = unseenPolicies(object);
    if (problem !== undefined) return { state, decision: problem };
    return rollBack({ ...state, rollingBack }, { observed, object, now });
  }
  const left = leftOver(state, observed);
  if (left !== undefined) return { state, decision: left };
  const problem = problemOf(object) ?? waitFor(followed.problem);
  if (problem !== undefined) return { state, decision: problem };
  const { spec } = object;
  if (spec === undefined) return { state, decision: paused(state) ?? UNREADABLE };
  const stopped = paused(state);
  if (stopped !== undefined) return { state, decision: stopped };
  const situation = { observed, object, spec, now };
  const begun = beginFirst(state, situation);
  if (begun !== undefined) return begun;
  const { active } = state;
  if (active === undefined) return { state, decision: LOOK };
  const placed = place({ ...state, active }, situation);
  if (placed !== undefined) return placed;
  const { view } = observed;
  if (view?.stage !== active.name) return { state, decision: LOOK };
  return evaluate({ ...state, active }, view, situation);
}

const LOOK = { do: 'Look', message: 'The stage is looked at.' } as const;

const UNREADABLE = {
  do: 'Wait',
  phase: 'Failed',
  reason: 'InvalidSpec',
  message: 'Expected a spec that can be followed, got one that cannot. Correct it.',
  isTrouble: true,
} as const;

/** A BindingPolicy that was taken away and is there all the same: a late write of a process that was stopped, say. */
function leftOver(
  { stages, active }: StagedState,
  { policies }: ObservedStaged,
): StagedTurn['decision'] | undefined {
  const isTaken = (name: string): boolean =>
    name !== active?.name && stages.some((mark) => mark.name === name && mark.phase === 'RolledBack');
  const left = policies.find(({ stage, isDeleting }) => !isDeleting && isTaken(stage));
  if (left === undefined) return undefined;
  const message = `BindingPolicy ${left.name} is deleted, because its stage was taken back.`;
  return { do: 'Remove', name: left.name, uid: left.uid, message };
}

/** Kubernetes collects what is in the same cluster; what is elsewhere is taken away before the object goes. */
function goingAway(
  { policies, selection }: ObservedStaged,
  { isElsewhere, problems, spec }: PresentPolicy,
): StagedTurn['decision'] {
  const message = 'The StagedBindingPolicy is being deleted.';
  // Whatever bears its names would be in the way of one that is created again.
  const all = [...policies, ...(selection === undefined ? [] : [selection])];
  const left = all.find(({ isDeleting }) => !isDeleting);
  const wait = { do: 'Wait', phase: 'Waiting', reason: 'Deleting', message } as const;
  // What is there, or where, nobody knows: an object that went now would leave its workload on the clusters.
  const hidesThem = spec === undefined ? 'InvalidSpec' : 'SpaceNotReached';
  const problem = problems.find(({ reason }) => reason === hidesThem);
  if (problem !== undefined) return { ...wait, phase: 'Failed', ...problem, isTrouble: true };
  if (!isElsewhere) return wait;
  if (left !== undefined) return { do: 'Remove', name: left.name, uid: left.uid, message };
  return all.length > 0 ? wait : { do: 'Release', message };
}

/** Takes up what operators have asked for. */
function heard(state: StagedState, now: number): StagedState {
  const { abort, retry, promote } = state.requests;
  if (abort !== undefined) return aborted(answered(state, 'abort'), abort);
  if (retry !== undefined) {
    const again = withoutHold(answered(state, 'retry'));
    if (again.active === undefined) return again;
    const { clusters: _failed, ...active } = again.active;
    return { ...again, active: { ...active, startedAt: now, countsFrom: now } };
  }
  // What was taken back to nothing begins again; a stage that is there is finished when it is looked at.
  if (promote !== undefined && state.active === undefined) return withoutHold(answered(state, 'promote'));
  return state;
}

function aborted(state: StagedState, abort: NonNullable<StagedState['requests']['abort']>): StagedState {
  const { active } = state;
  if (active === undefined) return state;
  const { by, to } = abort;
  const message = abortedMessage(active.name, abort);
  // What was to let it go on is not about what comes after it is taken back.
  const { held: _over, ...others } = answered(answered(state, 'promote'), 'retry');
  return { ...others, rollingBack: { reason: 'Aborted', by, message, ...(to === undefined ? {} : { to }) } };
}

const problemOf = ({ problems: [first] }: PresentPolicy): StagedTurn['decision'] | undefined =>
  waitFor(first);

const waitFor = (
  problem: PresentPolicy['problems'][number] | undefined,
): StagedTurn['decision'] | undefined =>
  problem === undefined ? undefined : { do: 'Wait', phase: 'Failed', ...problem, isTrouble: true };

/** Why nobody knows which BindingPolicies there are, so that none can be taken for gone; undefined when that is known. */
function unseenPolicies(object: PresentPolicy): StagedTurn['decision'] | undefined {
  const hidesThem = ({ reason }: PresentPolicy['problems'][number]): boolean =>
    reason === 'SpaceNotReached' || reason === 'KubeStellarNotFound';
  if (object.spec === undefined) return problemOf(object) ?? UNREADABLE;
  return problemOf({ ...object, problems: object.problems.filter(hidesThem) });
}

function paused({ requests: { paused: stamp }, active }: StagedState): StagedTurn['decision'] | undefined {
  if (stamp === undefined) return undefined;
  const said = stamp.reason === '' ? '' : ` ${stamp.reason}`;
  const at = active === undefined ? 'before the first stage' : `at stage ${active.name}`;
  return { do: 'Wait', phase: 'Paused', reason: 'Paused', message: `Paused ${at} by ${stamp.by}.${said}` };
}
