import { given, omit } from '../model/fields.ts';
import { sameValue } from '../kubernetes/canonical.ts';
import type { ObservedStaged, PresentPolicy } from './observation.ts';
import type { StagedBindingPolicySpec } from '../../crds/staged-binding-policy.ts';
import {
  markStage,
  type BegunStage,
  type StageMark,
  type StagedState,
  initialStagedState,
  stagedRequestNames,
  type ActiveStage,
} from './state.ts';
import { acceptStagedRequest } from './requests.ts';
import type { Stamp } from '../model/request.ts';
import { parseTime } from '../time.ts';

type Status = PresentPolicy['status'];

/** Restores the state from the status, once. */
export function restoreState(before: StagedState, observed: ObservedStaged, now: number): StagedState {
  const { object } = observed;
  if (object === undefined) return before;
  const state = ofObject(before, object.uid);
  if (state.isRestored) return state;
  const { status } = object;
  const { early = [], ...others } = state;
  const known: StagedState = {
    ...others,
    isRestored: true,
    stages: status.stages ?? [],
    asked: [...askedIn(status), ...state.asked],
    ...pausedIn(state, status),
    ...heldIn(status),
  };
  const taken =
    status.activeStage === undefined
      ? known
      : { ...known, active: activeIn(object, status.activeStage, now) };
  return early.reduce((next, { name, request }) => acceptStagedRequest(next, name, request), taken);
}

/** Forgets what is known of another object of the same name. */
const ofObject = (state: StagedState, uid: string): StagedState =>
  state.uid === undefined || state.uid === uid ? { ...state, uid } : { ...initialStagedState, uid };

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

const heldIn = ({ phase, held }: Status): Partial<StagedState> => {
  if (held === undefined) return {};
  return phase === 'RollingBack' ? { rollingBack: omit(held, 'stage') } : { held };
};

const pausedIn = (state: StagedState, { paused }: Status): Partial<StagedState> =>
  paused === undefined ? {} : { requests: { paused: stampOf(paused), ...state.requests } };

const askedIn = ({ requests = [] }: Status): StagedState['asked'] =>
  requests.flatMap((request) => {
    const action = stagedRequestNames.find((name) => name === request.action);
    return action === undefined ? [] : [{ action, ...stampOf(request) }];
  });

const stampOf = ({ by, reason, time }: NonNullable<Status['paused']>): Stamp => ({
  by,
  reason,
  at: parseTime(time) ?? 0,
});

type Seen = Pick<ObservedStaged, 'policies'> & {
  readonly object: PresentPolicy;
  readonly now: number;
};

/** Follows the stages of a spec, unless it changes the name, place or clusters of one that has begun. */
export function followStages(
  before: StagedState,
  seen: Seen,
): { readonly state: StagedState; readonly problem?: PresentPolicy['problems'][number] } {
  const { policies, object, now } = seen;
  const { spec } = object;
  if (spec === undefined) return { state: before };
  const state = replaceUnplaced(before, seen, spec);
  const names = begunNames(state, spec);
  const changed = names.findIndex((name, index) => isChanged(state, name, spec.stages[index]));
  if (changed >= 0) {
    const message = `invalid spec.stages[${changed}]: must be stage ${names[changed]} with the clusterSelectors it has begun with. Restore it, or send abort to roll it back.`;
    return { state, problem: { reason: 'StageChanged', message } };
  }
  const begun = spec.stages
    .slice(0, names.length)
    .filter(({ name }) => name !== state.active?.name || isPlaced(state, policies, name))
    .map(({ name, clusterSelectors }) => ({ name, clusterSelectors }));
  const next = { ...state, stages: spec.stages.map(({ name }) => markOf(state, name, now)), begun };
  const isAsked = (stage: string): boolean => spec.stages.some(({ name }) => name === stage);
  const strange = policies.find(({ stage, isDeleting }) => !isDeleting && !isAsked(stage));
  if (strange === undefined) return { state: next };
  const message = `invalid spec.stages: must have stage ${strange.stage}, because of BindingPolicy ${strange.name}. Add the stage, or delete the BindingPolicy.`;
  return { state: next, problem: { reason: 'StageChanged', message } };
}

/** Whether a stage has had a BindingPolicy since it began. */
const isPlaced = ({ begun }: StagedState, policies: Seen['policies'], stage: string): boolean =>
  begun.some(({ name }) => name === stage) || policies.some((policy) => policy.stage === stage);

/** Replaces the active stage by the one in its place now, where an edit came before its BindingPolicy was made. */
function replaceUnplaced(
  state: StagedState,
  { policies, object: { problems }, now }: Seen,
  spec: StagedBindingPolicySpec,
): StagedState {
  const { active } = state;
  const names = begunNames(state, spec);
  const at = names.length - 1;
  // While something is wrong it is not known which BindingPolicies there are.
  if (active === undefined || problems.length > 0 || isPlaced(state, policies, active.name)) return state;
  if (names.findIndex((name, index) => isChanged(state, name, spec.stages[index])) !== at) return state;
  const stages = spec.stages.map(({ name }) => markOf(state, name, now));
  const times = { startedAt: now, countsFrom: now };
  const name = spec.stages[at]?.name;
  if (name !== undefined) {
    const startedAt = new Date(now).toISOString();
    const next = { ...state, stages, active: { name, ...times } };
    return markStage(next, { name, phase: 'Binding', startedAt }, now);
  }
  const last = spec.stages[at - 1]?.name;
  return last === undefined ? state : { ...state, stages, active: { name: last, ...times, hasServed: true } };
}

/** The stages up to the active one. */
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

const markOf = ({ stages }: StagedState, name: string, now: number): StageMark =>
  stages.find((one) => one.name === name) ?? {
    name,
    phase: 'Pending',
    since: new Date(now).toISOString(),
  };
