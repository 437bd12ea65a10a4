import { given, omit } from '../model/fields.ts';
import { decideBy, type Rules } from '../rules.ts';
import { holdTime, resumeTime, evaluateStage } from './evaluate.ts';
import {
  clearRequest,
  listPassedBefore,
  markStage,
  type ActiveStage,
  type ActiveState,
  type RollingBack,
  type StagedState,
  type StagedTurn,
} from './state.ts';
import type { ObservedStaged, PresentPolicy, Situation, StagedLook } from './observation.ts';
import { beginFirstStage, placeStages } from './place.ts';
import { describeAbort } from './requests.ts';
import { restoreState, followStages } from './stages.ts';

/** The look by which to go on; the first one of a run may find that a stage is taken back. */
export const nextLook = (
  name: string,
  { isRestored, active, rollingBack, requests }: StagedState,
): StagedLook => ({
  name,
  ...(active === undefined ? {} : { at: active.name }),
  ...(isRestored && rollingBack === undefined && requests.abort === undefined ? {} : { isTakingBack: true }),
});

/** Decides the one thing to do next for a StagedBindingPolicy. */
export function takeStagedTurn(observed: ObservedStaged, before: StagedState, now: number): StagedTurn {
  const { state, decision } = nextTurn(observed, resumeTime(before, now), now);
  return { state: holdTime(state, decision, now), decision };
}

/** What a rule decides by, besides what is remembered. */
interface Turn {
  readonly observed: ObservedStaged;
  readonly object: PresentPolicy;
  readonly now: number;
  /** What the spec may not change of the stages. */
  readonly stageProblem: Problem | undefined;
}

type Problem = PresentPolicy['problems'][number];
type Decision = StagedTurn['decision'];
type StagedRules = Rules<[state: StagedState, turn: Turn], Decision | StagedTurn>;
type Rule = StagedRules[number][1];

/** The rules in their order: the first that has something to do decides. */
export const stagedRules: StagedRules = [
  ['An abort or a timeout rolls back the newest stage', takeBack],
  ['The leftover BindingPolicy of a rolled back stage is deleted', removeLeftOver],
  ['A spec or a space that cannot be used is reported', reportProblem],
  ['A pause holds', holdPause],
  ['The first stage begins', withSpec(beginFirstStage)],
  ['The BindingPolicies are created or updated', ofStage(placeStages)],
  ['A stage that was not observed yet is observed', lookAtStage],
  ['The active stage waits, soaks, is late or is passed', ofStage(evaluateActive)],
];

function nextTurn(observed: ObservedStaged, before: StagedState, now: number): StagedTurn {
  const { object, policies } = observed;
  if (object === undefined) {
    return { state: before, decision: { do: 'Close', message: 'The StagedBindingPolicy is gone.' } };
  }
  if (object.isDeleting) return { state: before, decision: finishDeletion(observed, object) };
  const followed = followStages(restoreState(before, observed, now), { policies, object, now });
  const state = applyRequests(followed.state, now);
  const turn = { observed, object, now, stageProblem: followed.problem };
  const decided = decideBy(stagedRules, state, turn) ?? LOOK;
  return 'decision' in decided ? decided : { state, decision: decided };
}

/** A rule that goes by the spec. */
function withSpec(rule: (state: StagedState, situation: Situation) => StagedTurn | undefined): Rule {
  return (state, { observed, object, now }) =>
    object.spec === undefined ? undefined : rule(state, { observed, object, spec: object.spec, now });
}

/** A rule about the stage that it is at. */
function ofStage(rule: (state: ActiveState, situation: Situation) => StagedTurn | undefined): Rule {
  return withSpec(({ active, ...state }, situation) =>
    active === undefined ? undefined : rule({ ...state, active }, situation),
  );
}

const LOOK = { do: 'Look', message: 'Observing the stage.' } as const;

function lookAtStage({ active }: StagedState, { observed: { view } }: Turn): Decision | undefined {
  return active === undefined || view?.stage !== active.name ? LOOK : undefined;
}

function evaluateActive(state: ActiveState, situation: Situation): StagedTurn | undefined {
  const { view } = situation.observed;
  return view === undefined ? undefined : evaluateStage(state, view, situation);
}

/** Continues to take a stage back, unless its BindingPolicies cannot be read. */
function takeBack(state: StagedState, turn: Turn): Decision | StagedTurn | undefined {
  const { rollingBack } = state;
  if (rollingBack === undefined) return undefined;
  const hidesThem = ({ reason }: Problem): boolean =>
    turn.object.spec === undefined || reason === 'SpaceNotReached' || reason === 'KubeStellarNotFound';
  return waitFor(turn.object.problems.find(hidesThem)) ?? rollBack({ ...state, rollingBack }, turn);
}

/** Takes the newest stage back, and after it the ones before, down to the one that is asked for. */
function rollBack(
  state: StagedState & { readonly rollingBack: RollingBack },
  { observed, object, now }: Turn,
): StagedTurn {
  const { active, rollingBack } = state;
  if (active === undefined) return { state: held(state, ''), decision: ROLLED_BACK };
  const { message } = rollingBack;
  const { selection } = observed;
  if (selection?.isDeleting === false) return { state, decision: removal(selection, message) };
  const previous = listPassedBefore(state).at(-1);
  const returned = previous === undefined ? undefined : comeBack(previous, { observed, object }, message);
  if (returned !== undefined) return { state, decision: returned };
  const own = observed.policies.find(({ stage }) => stage === active.name);
  if (own !== undefined) return { state, decision: removal(own, message) };
  return { state: taken(state, { active, previous, now }), decision: ROLLED_BACK };
}

const ROLLED_BACK = { do: 'Look', message: 'Rolled back a stage.' } as const;

/** Binds the stage before first, whose BindingPolicy stageRetention Remove has deleted. */
function comeBack(
  stage: string,
  { observed, object }: Pick<Turn, 'observed' | 'object'>,
  message: string,
): StagedTurn['decision'] | undefined {
  const own = observed.policies.find((one) => one.stage === stage);
  if (own === undefined)
    return { do: 'Apply', stage, message: `${message} Binding stage ${stage} again first.` };
  const isKept = object.spec?.stageRetention !== 'Remove';
  // What is kept has had its clusters before, and nothing is gained by waiting for what KubeStellar refuses.
  if (isKept && (own.isDeleting || own.refusal !== undefined)) return undefined;
  if (own.isBound && !own.isDeleting) return undefined;
  const wait = { do: 'Wait', phase: 'RollingBack' } as const;
  if (own.isDeleting) {
    const waits = `${message} Waiting for KubeStellar to release BindingPolicy ${own.name}, so that stage ${stage} can be bound again first.`;
    return { ...wait, reason: 'Removing', message: waits };
  }
  const waits = `${message} Waiting for KubeStellar to bind stage ${stage} again first.`;
  return own.refusal === undefined
    ? { ...wait, reason: 'Binding', message: waits }
    : { ...wait, reason: 'Binding', message: `${waits} It reports: ${own.refusal}`, isTrouble: true };
}

function removal(
  own: Pick<ObservedStaged['policies'][number], 'name' | 'uid' | 'isDeleting'>,
  message: string,
): StagedTurn['decision'] {
  if (!own.isDeleting) return { do: 'Remove', name: own.name, uid: own.uid, message };
  const waits = `${message} Waiting for KubeStellar to release BindingPolicy ${own.name} and its Binding.`;
  return { do: 'Wait', phase: 'RollingBack', reason: 'Removing', message: waits };
}

/** The state after the newest stage is gone. */
function taken(
  state: StagedState & { readonly rollingBack: RollingBack },
  {
    active,
    previous,
    now,
  }: { readonly active: ActiveStage; readonly previous: string | undefined; readonly now: number },
): StagedState {
  const rolledBack = markStage(state, { name: active.name, phase: 'RolledBack' }, now);
  if (previous === undefined) return held(omit(rolledBack, 'active'), active.name);
  const back = markStage(
    // It was passed, and serves its clusters.
    { ...rolledBack, active: { name: previous, startedAt: now, countsFrom: now, hasServed: true } },
    { name: previous, phase: 'Waiting', completed: true },
    now,
  );
  const { to } = state.rollingBack;
  const goesOn = to !== undefined && listPassedBefore(back).includes(to);
  return goesOn ? back : held(back, active.name);
}

/** What was taken back stays so until a person lets it go on. */
function held(state: StagedState, stage: string): StagedState {
  const { rollingBack } = state;
  if (rollingBack === undefined) return state;
  // What has come to finish a stage was not about the one before.
  const others = omit(clearRequest(state, 'promote'), 'rollingBack');
  return { ...others, held: { ...omit(rollingBack, 'to'), stage } };
}

function reportProblem(_: StagedState, { object, stageProblem }: Turn): Decision | undefined {
  return waitFor(object.problems[0] ?? stageProblem);
}

const waitFor = (problem: Problem | undefined): Decision | undefined =>
  problem === undefined ? undefined : { do: 'Wait', phase: 'Failed', ...problem, isTrouble: true };

function holdPause({ requests, active }: StagedState): Decision | undefined {
  if (requests.paused === undefined) return undefined;
  const { by, reason } = requests.paused;
  const said = reason === '' ? '' : ` ${reason}`;
  const at = active === undefined ? 'before the first stage' : `at stage ${active.name}`;
  return { do: 'Wait', phase: 'Paused', reason: 'Paused', message: `Paused ${at} by ${by}.${said}` };
}

/** Removes the BindingPolicy of a stage that was taken back, which a late write has made again. */
function removeLeftOver(
  { stages, active }: StagedState,
  { observed: { policies } }: Turn,
): Decision | undefined {
  const isTaken = (name: string): boolean =>
    name !== active?.name && stages.some((mark) => mark.name === name && mark.phase === 'RolledBack');
  const left = policies.find(({ stage, isDeleting }) => !isDeleting && isTaken(stage));
  if (left === undefined) return undefined;
  const message = `Deleting BindingPolicy ${left.name}: its stage was rolled back.`;
  return { do: 'Remove', name: left.name, uid: left.uid, message };
}

/** Deletes what Kubernetes does not collect in another API server, then releases the object. */
function finishDeletion(
  { policies, selection }: ObservedStaged,
  { isElsewhere, problems, spec }: PresentPolicy,
): Decision {
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
function applyRequests(state: StagedState, now: number): StagedState {
  const { abort, retry, promote } = state.requests;
  if (abort !== undefined) return aborted(clearRequest(state, 'abort'), abort);
  if (retry !== undefined) {
    const again = omit(clearRequest(state, 'retry'), 'held');
    if (again.active === undefined) return again;
    return { ...again, active: { ...omit(again.active, 'clusters'), startedAt: now, countsFrom: now } };
  }
  // What was taken back to nothing begins again; a stage that is there is finished when it is looked at.
  if (promote !== undefined && state.active === undefined)
    return omit(clearRequest(state, 'promote'), 'held');
  return state;
}

function aborted(state: StagedState, abort: NonNullable<StagedState['requests']['abort']>): StagedState {
  const { active } = state;
  if (active === undefined) return state;
  const { by, to } = abort;
  const message = describeAbort(active.name, abort);
  // What was to let it go on is not about what comes after it is taken back.
  const others = omit(clearRequest(clearRequest(state, 'promote'), 'retry'), 'held');
  return { ...others, rollingBack: { reason: 'Aborted', by, message, ...given({ to }) } };
}
