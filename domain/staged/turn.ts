import type { StagedBindingPolicySpec } from '../../crds/staged-binding-policy.ts';
import { sameValue } from '../kubernetes/canonical.ts';
import { given, omit } from '../model/fields.ts';
import type { Stamp } from '../model/request.ts';
import { decideBy, type Rules } from '../rules.ts';
import { parseTime } from '../time.ts';
import { holdTime, resumeTime, evaluateStage } from './evaluate.ts';
import type { ObservedStaged, PresentPolicy, Situation, StagedLook, StagePolicy } from './observation.ts';
import { beginFirstStage, placeStages } from './place.ts';
import { acceptStagedRequest, describeAbort } from './requests.ts';
import {
  clearRequest,
  initialStagedState,
  listPassedBefore,
  markStage,
  stagedRequestNames,
  type ActiveStage,
  type ActiveState,
  type BegunStage,
  type RollingBack,
  type StagedState,
  type StagedTurn,
  type StageMark,
} from './state.ts';

/** The look by which to continue; the first one of a run may find that a stage is taken back. */
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

/** What a rule decides by, besides what is remembered; the problem is with what the spec may not change of the stages. */
type Turn = Omit<Situation, 'spec'> & { readonly stageProblem: Problem | undefined };

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
  ['The active stage waits, soaks, is late or is passed', ofStage(evaluateStage)],
];

function nextTurn(observed: ObservedStaged, before: StagedState, now: number): StagedTurn {
  const { object } = observed;
  if (object === undefined) {
    return { state: before, decision: { do: 'Close', message: 'The StagedBindingPolicy is gone.' } };
  }
  if (object.isDeleting) return { state: before, decision: finishDeletion(observed, object) };
  const followed = followStages(restoreState(before, object, now), observed, object, now);
  const state = applyRequests(followed.state, now);
  const turn = { observed, object, now, stageProblem: followed.problem };
  const decided = decideBy(stagedRules, state, turn) ?? LOOK;
  return 'decision' in decided ? decided : { state, decision: decided };
}

function withSpec(rule: (state: StagedState, situation: Situation) => StagedTurn | undefined): Rule {
  return (state, { observed, object, now }) =>
    object.spec === undefined ? undefined : rule(state, { observed, object, spec: object.spec, now });
}

function ofStage(rule: (state: ActiveState, situation: Situation) => StagedTurn | undefined): Rule {
  return withSpec(({ active, ...state }, situation) =>
    active === undefined ? undefined : rule({ ...state, active }, situation),
  );
}

const LOOK = { do: 'Look', message: 'Observing the stage.' } as const;

function lookAtStage({ active }: StagedState, { observed: { view } }: Turn): Decision | undefined {
  return active === undefined || view?.stage !== active.name ? LOOK : undefined;
}

/** Takes the newest stage back, and after it the ones before, down to the one that is asked for, unless its BindingPolicies cannot be read. */
function takeBack(state: StagedState, { observed, object, now }: Turn): Decision | StagedTurn | undefined {
  const { active, rollingBack } = state;
  if (rollingBack === undefined) return undefined;
  const hidesThem = ({ reason }: Problem): boolean =>
    object.spec === undefined || reason === 'SpaceNotReached' || reason === 'KubeStellarNotFound';
  const hidden = waitFor(object.problems.find(hidesThem));
  if (hidden !== undefined) return hidden;
  const decision = { do: 'Look', message: 'Rolled back a stage.' } as const;
  if (active === undefined) return { state: holdRolledBack(state, rollingBack, ''), decision };
  const { message, to } = rollingBack;
  const { selection } = observed;
  if (selection?.isDeleting === false) return removal(selection, message);
  const previous = listPassedBefore(state).at(-1);
  const returned = previous === undefined ? undefined : comeBack(previous, { observed, object }, message);
  if (returned !== undefined) return returned;
  const own = observed.policies.find(({ stage }) => stage === active.name);
  if (own !== undefined) return removal(own, message);
  const rolledBack = markStage(state, { name: active.name, phase: 'RolledBack' }, now);
  if (previous === undefined)
    return { state: holdRolledBack(omit(rolledBack, 'active'), rollingBack, active.name), decision };
  const back = markStage(
    // It was passed, and serves its clusters.
    { ...rolledBack, active: { name: previous, startedAt: now, countsFrom: now, hasServed: true } },
    { name: previous, phase: 'Waiting', completed: true },
    now,
  );
  const goesOn = to !== undefined && listPassedBefore(back).includes(to);
  return { state: goesOn ? back : holdRolledBack(back, rollingBack, active.name), decision };
}

/** What was taken back stays so until a person lets it continue; what has come to finish a stage was not about the one before. */
const holdRolledBack = (state: StagedState, rollingBack: RollingBack, stage: string): StagedState => ({
  ...omit(clearRequest(state, 'promote'), 'rollingBack'),
  held: { ...omit(rollingBack, 'to'), stage },
});

/** Binds the stage before first, whose BindingPolicy stageRetention Remove has deleted. */
function comeBack(
  stage: string,
  { observed, object }: Pick<Turn, 'observed' | 'object'>,
  message: string,
): Decision | undefined {
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

function removal(own: Pick<StagePolicy, 'name' | 'uid' | 'isDeleting'>, message: string): Decision {
  if (!own.isDeleting) return { do: 'Remove', name: own.name, uid: own.uid, message };
  const waits = `${message} Waiting for KubeStellar to release BindingPolicy ${own.name} and its Binding.`;
  return { do: 'Wait', phase: 'RollingBack', reason: 'Removing', message: waits };
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

function applyRequests(state: StagedState, now: number): StagedState {
  const { active, requests } = state;
  const { abort, retry, promote } = requests;
  if (abort !== undefined) {
    if (active === undefined) return clearRequest(state, 'abort');
    const message = describeAbort(active.name, abort);
    const { by, to } = abort;
    // What was to let it continue is not about what comes after it is taken back.
    const others = omit(clearRequest(state, 'abort', 'promote', 'retry'), 'held');
    return { ...others, rollingBack: { reason: 'Aborted', by, message, ...given({ to }) } };
  }
  if (retry !== undefined) {
    const again = omit(clearRequest(state, 'retry'), 'held');
    if (again.active === undefined) return again;
    return { ...again, active: { ...omit(again.active, 'clusters'), startedAt: now, countsFrom: now } };
  }
  // What was taken back to nothing begins again; a stage that is there is finished when it is looked at.
  if (promote !== undefined && active === undefined) return omit(clearRequest(state, 'promote'), 'held');
  return state;
}

/** Restores the state from the status, once. */
function restoreState(before: StagedState, object: PresentPolicy, now: number): StagedState {
  const { uid, status } = object;
  // What is known of another object of the same name is forgotten.
  const isSame = before.uid === undefined || before.uid === uid;
  const state: StagedState = { ...(isSame ? before : initialStagedState), uid };
  if (state.isRestored) return state;
  const { phase, held, paused, requests = [], activeStage, stages = [] } = status;
  const { early = [], ...others } = state;
  const isRollingBack = phase === 'RollingBack';
  const asked = requests.flatMap((request) => {
    const action = stagedRequestNames.find((name) => name === request.action);
    return action === undefined ? [] : [{ action, ...stampOf(request) }];
  });
  const restored: StagedState = {
    ...others,
    isRestored: true,
    stages,
    asked: [...asked, ...state.asked],
    requests: { ...given({ paused: paused && stampOf(paused) }), ...state.requests },
    ...given({
      held: isRollingBack ? undefined : held,
      rollingBack: isRollingBack && held !== undefined ? omit(held, 'stage') : undefined,
      active: activeStage === undefined ? undefined : activeIn(object, activeStage, now),
    }),
  };
  return early.reduce((next, { name, request }) => acceptStagedRequest(next, name, request), restored);
}

function activeIn({ status, generation }: PresentPolicy, name: string, now: number): ActiveStage {
  const mark = status.stages?.find((one) => one.name === name);
  const isCompleted = status.phase === 'Completed';
  const begun = { name, startedAt: parseTime(mark?.startedAt) ?? now, countsFrom: now };
  if (isCompleted && status.observedGeneration === generation) {
    const completedAt = parseTime(mark?.since) ?? now;
    return { ...begun, completedAt, hasServed: true, ...given({ print: mark?.completedWith }) };
  }
  // How long it has been fulfilled nobody knows for sure, so that it soaks again, and has as long again.
  return isCompleted || mark?.completed === true ? { ...begun, hasServed: true } : begun;
}

const stampOf = ({ by, reason, time }: NonNullable<PresentPolicy['status']['paused']>): Stamp => ({
  by,
  reason,
  at: parseTime(time) ?? 0,
});

/** Follows the stages of a spec, unless it changes the name, place or clusters of one that has begun. */
function followStages(
  before: StagedState,
  { policies }: ObservedStaged,
  object: PresentPolicy,
  now: number,
): { readonly state: StagedState; readonly problem?: Problem } {
  const { spec, problems } = object;
  if (spec === undefined) return { state: before };
  const isPlaced = (stage: string): boolean =>
    before.begun.some(({ name }) => name === stage) || policies.some((one) => one.stage === stage);
  // While something is wrong it is not known which BindingPolicies there are.
  const isFixed = before.active === undefined || problems.length > 0 || isPlaced(before.active.name);
  const state = isFixed ? before : replaceUnplaced(before, spec, now);
  const names = begunNames(state, spec);
  const changed = names.findIndex((name, index) => isChanged(state, name, spec.stages[index]));
  if (changed >= 0) {
    const message = `invalid spec.stages[${changed}]: must be stage ${names[changed]} with the clusterSelectors it has begun with. Restore it, or send abort to roll it back.`;
    return { state, problem: { reason: 'StageChanged', message } };
  }
  const begun = spec.stages
    .slice(0, names.length)
    .filter(({ name }) => name !== state.active?.name || isPlaced(name))
    .map(({ name, clusterSelectors }) => ({ name, clusterSelectors }));
  const next = { ...state, stages: marksOf(state, spec, now), begun };
  const isAsked = (stage: string): boolean => spec.stages.some(({ name }) => name === stage);
  const strange = policies.find(({ stage, isDeleting }) => !isDeleting && !isAsked(stage));
  if (strange === undefined) return { state: next };
  const message = `invalid spec.stages: must have stage ${strange.stage}, because of BindingPolicy ${strange.name}. Add the stage, or delete the BindingPolicy.`;
  return { state: next, problem: { reason: 'StageChanged', message } };
}

/** Replaces the active stage by the one in its place now, where an edit came before its BindingPolicy was made. */
function replaceUnplaced(state: StagedState, spec: StagedBindingPolicySpec, now: number): StagedState {
  const names = begunNames(state, spec);
  const at = names.length - 1;
  if (names.findIndex((name, index) => isChanged(state, name, spec.stages[index])) !== at) return state;
  const next = { ...state, stages: marksOf(state, spec, now) };
  const times = { startedAt: now, countsFrom: now };
  const name = spec.stages[at]?.name;
  if (name !== undefined) {
    const mark = { name, phase: 'Binding', startedAt: new Date(now).toISOString() } as const;
    return markStage({ ...next, active: { name, ...times } }, mark, now);
  }
  const last = spec.stages[at - 1]?.name;
  return last === undefined ? state : { ...next, active: { name: last, ...times, hasServed: true } };
}

const marksOf = ({ stages }: StagedState, spec: StagedBindingPolicySpec, now: number): readonly StageMark[] =>
  spec.stages.map(({ name }) => {
    const pending = { name, phase: 'Pending', since: new Date(now).toISOString() } as const;
    return stages.find((one) => one.name === name) ?? pending;
  });

function begunNames({ stages, active }: StagedState, spec: StagedBindingPolicySpec): readonly string[] {
  if (active === undefined) return [];
  const order = [stages, spec.stages].find((all) => all.some(({ name }) => name === active.name)) ?? [active];
  return order.slice(0, order.findIndex(({ name }) => name === active.name) + 1).map(({ name }) => name);
}

function isChanged({ begun }: StagedState, name: string, stage: BegunStage | undefined): boolean {
  const before = begun.find((one) => one.name === name);
  return (
    stage?.name !== name ||
    (before !== undefined && !sameValue(before.clusterSelectors, stage.clusterSelectors))
  );
}
