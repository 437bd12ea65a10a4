import type { StagedBindingPolicySpec, Stage } from '../../crds/staged-binding-policy.ts';
import { sameValue } from '../kubernetes/canonical.ts';
import type { ObservedStaged } from './observation.ts';
import { mayShare } from './selectors.ts';
import type { Situation } from './situation.ts';
import { isPassed, marked, phaseOf, type ActiveStage, type GoneStage, type StagedState } from './state.ts';

/** What an edit of the stages is followed by. */
type Seen = Pick<ObservedStaged, 'policies'> & Pick<Situation, 'object' | 'now'>;

/** Takes up which stages are asked for: a mark for each, and none for one that is not but the one that it is at. */
export function follow(before: StagedState, { policies, object, now }: Seen): StagedState {
  const { spec } = object;
  if (spec === undefined) return before;
  const names = namesOf(spec);
  const come = spec.stages.filter(({ name }) => isNew(before, name));
  const gone = goneOf(before, { policies, object, now }, spec).map((one) => replacedBy(one, come, names));
  const stages = before.stages.filter(
    ({ name }) =>
      names.includes(name) || name === before.active?.name || isLeftBehind(before, policies, name),
  );
  const known = spec.stages.map(({ name, clusterSelectors }) => ({ name, clusterSelectors }));
  const state = renamed({ ...taking(before, spec), stages, known, gone }, come, names);
  const all = names
    .filter((name) => phaseOf(state, name) === undefined)
    .reduce<StagedState>((some, name) => marked(some, { name, phase: 'Pending' }, now), state);
  return aimed(
    standingIn(all, spec, policies).reduce<StagedState>(
      (some, name) => marked(some, { name, phase: 'Passed' }, now),
      all,
    ),
  );
}

/** Has an abort that goes back to a stage which is gone go back to the passed one that has taken its place; of several, to the last. */
function aimed(state: StagedState): StagedState {
  const { rollingBack, requests, known = [] } = state;
  const nameOf = (to: string | undefined): string | undefined => {
    const gone = state.gone?.find(({ name }) => name === to);
    const hasTaken = ({ name, clusterSelectors: own }: (typeof known)[number]): boolean =>
      gone?.by.includes(name) === true && isPassed(state, name) && mayShare(gone.clusterSelectors, own);
    return known.findLast(hasTaken)?.name;
  };
  const [to, asked] = [nameOf(rollingBack?.to), nameOf(requests.abort?.to)];
  return {
    ...state,
    ...(rollingBack === undefined || to === undefined ? {} : { rollingBack: { ...rollingBack, to } }),
    ...(requests.abort === undefined || asked === undefined
      ? {}
      : { requests: { ...requests, abort: { ...requests.abort, to: asked } } }),
  };
}

/** Remembers that the active stage has served, when an edit gives it clusters that a passed stage may have had. */
function taking(state: StagedState, { stages }: StagedBindingPolicySpec): StagedState {
  const { active, known = [] } = state;
  const own = stages.find(({ name }) => name === active?.name)?.clusterSelectors;
  const former = selectorsOf(known, active?.name ?? '');
  if (active === undefined || own === undefined || former === undefined || sameValue(own, former))
    return state;
  const hasTaken = known.some(
    ({ name, clusterSelectors }) => isPassed(state, name) && mayShare(clusterSelectors, own),
  );
  return hasTaken ? { ...state, active: { ...active, hasServed: true } } : state;
}

/** Whether a stage was taken back, and its BindingPolicy is there all the same. */
const isLeftBehind = (state: StagedState, policies: Seen['policies'], name: string): boolean =>
  phaseOf(state, name) === 'RolledBack' && policies.some(({ stage }) => stage === name);

/** Whether a stage has come with the last edit; where nobody knows which have, each that has not begun may. */
const isNew = (state: StagedState, name: string): boolean =>
  state.known === undefined ? !hasBegun(state, name) : phaseOf(state, name) === undefined;

/** The stages that are not in the spec: those that had begun, and those of which a BindingPolicy is there all the same. */
function goneOf(
  state: StagedState,
  { policies, object }: Seen,
  spec: StagedBindingPolicySpec,
): readonly GoneStage[] {
  const left = state.stages
    .filter(({ name }) => hasBegun(state, name))
    .map(({ name }) => ({
      name,
      clusterSelectors: selectorsOf(state.known, name),
      hasServed: isPassed(state, name) || state.active?.hasServed === true,
      by: [],
    }));
  const stillThere = (state.gone ?? []).filter(
    // While something is wrong nobody knows which BindingPolicies there are.
    ({ name }) => object.problems.length > 0 || policies.some(({ stage }) => stage === name),
  );
  const toCome = namesOf(spec).filter((name) => !hasBegun(state, name) && !isLeftOut(state, spec, name));
  const strange = policies
    .filter(({ stage }) => !isLeftBehind(state, policies, stage))
    .map(({ stage }) => ({ name: stage, by: toCome }));
  const all = [...stillThere, ...left, ...strange];
  const asked = namesOf(spec);
  return all.filter(
    ({ name }, index) => !asked.includes(name) && all.findIndex((one) => one.name === name) === index,
  );
}

/** Whether a stage of the spec was put in ahead of one that had begun, so that it is not gone through; the one that it is at has begun itself. */
export const isLeftOut = (state: StagedState, spec: StagedBindingPolicySpec, name: string): boolean =>
  phaseOf(state, name) === 'Pending' && name !== state.active?.name && isAhead(state, spec, name);

/** Whether a stage of the spec lies ahead of one that has begun. */
function isAhead(state: StagedState, spec: StagedBindingPolicySpec, name: string): boolean {
  const names = namesOf(spec);
  const furthest = names.findLastIndex((one) => isPassed(state, one) || one === nameNow(state.active, names));
  return names.indexOf(name) < furthest;
}

/** Whether a stage of the spec is not gone through: it was left out, or was taken back and then moved ahead. */
export const isSkipped = (state: StagedState, spec: StagedBindingPolicySpec, name: string): boolean =>
  isLeftOut(state, spec, name) ||
  (state.tellsAsBefore !== true && phaseOf(state, name) === 'RolledBack' && isAhead(state, spec, name));

/** The name that the stage that it is at has in the spec; undefined when it has none. */
export function nameNow(active: ActiveStage | undefined, names: readonly string[]): string | undefined {
  return [active?.name, active?.renamedTo].find((name) => name !== undefined && names.includes(name));
}

/** The stage to begin with when none has begun, or when the one that had is no longer asked for. */
export function nextOf<One extends Pick<Stage, 'name'>>(
  state: StagedState,
  stages: readonly One[],
): One | undefined {
  const names = stages.map(({ name }) => name);
  const now = nameNow(state.active, names);
  const isNext = (name: string): boolean => (now === undefined ? !isPassed(state, name) : name === now);
  return stages.find(({ name }) => isNext(name)) ?? stages.at(-1);
}

/** Whether a stage is to have a BindingPolicy, whichever it is at. */
export const isWanted = (
  state: StagedState,
  { stageRetention }: Pick<StagedBindingPolicySpec, 'stageRetention'>,
  name: string,
): boolean => name === state.active?.name || (stageRetention === 'Keep' && isPassed(state, name));

/** Whether the BindingPolicy of a stage that is gone may reach a cluster for a stage that does not do so itself yet. */
export function isNeeded(state: StagedState, { observed, spec }: Situation, gone: string): boolean {
  const entry = state.gone?.find(({ name }) => name === gone);
  const isAwaited = (name: string): boolean => {
    const phase = phaseOf(state, name);
    if (phase === 'RolledBack') return false;
    if (phase === 'Passed' || name === state.active?.name) return isWanted(state, spec, name);
    return entry?.by.includes(name) === true;
  };
  const isReached = (name: string): boolean =>
    observed.policies.some((one) => one.stage === name && one.isBound && one.only === undefined);
  return spec.stages.some(
    ({ name, clusterSelectors }) =>
      isAwaited(name) && !isReached(name) && mayShare(entry?.clusterSelectors, clusterSelectors),
  );
}

/** Whether clusters of a stage may have been served before it begins: it was passed, or a removed stage that has served may share clusters with it. */
export const mayHaveServed = (state: StagedState, { name, clusterSelectors }: Stage): boolean =>
  isPassed(state, name) ||
  (state.gone ?? []).some(
    (one) => one.hasServed !== false && mayShare(one.clusterSelectors, clusterSelectors),
  );

const namesOf = ({ stages }: StagedBindingPolicySpec): readonly string[] => stages.map(({ name }) => name);

const hasBegun = (state: StagedState, name: string): boolean =>
  isPassed(state, name) || name === state.active?.name;

const selectorsOf = (known: StagedState['known'], stage: string): GoneStage['clusterSelectors'] =>
  known?.find(({ name }) => name === stage)?.clusterSelectors;

/** The stage that selects the same clusters as one that is gone is the same under another name; otherwise any that has come may be. */
function replacedBy(gone: GoneStage, come: readonly Stage[], names: readonly string[]): GoneStage {
  const same = come.find(({ clusterSelectors }) => sameValue(clusterSelectors, gone.clusterSelectors));
  if (same !== undefined) return { ...gone, by: [same.name] };
  const before = gone.by.filter((name) => names.includes(name));
  return { ...gone, by: [...new Set([...before, ...come.map(({ name }) => name)])] };
}

/** Remembers the new name of the stage that it is at, unless stages that are still to come lie ahead of it now. */
function renamed(state: StagedState, come: readonly Stage[], names: readonly string[]): StagedState {
  const { active, gone } = state;
  if (active === undefined || names.includes(active.name)) return state;
  const clusterSelectors = gone?.find(({ name }) => name === active.name)?.clusterSelectors;
  const same = come.find((one) => sameValue(one.clusterSelectors, clusterSelectors));
  const last = names.findLastIndex((name) => isPassed(state, name));
  const ahead = same === undefined ? [] : names.slice(last + 1, names.indexOf(same.name));
  const isNext = ahead.every((name) => come.some((one) => one.name === name));
  return same === undefined || !isNext ? state : { ...state, active: { ...active, renamedTo: same.name } };
}

/** The stages that count as passed: they lie ahead of one that has begun, and have come back before their BindingPolicies went, or select clusters of a passed one that is gone. */
function standingIn(
  state: StagedState,
  spec: StagedBindingPolicySpec,
  policies: Seen['policies'],
): readonly string[] {
  const passed = (state.gone ?? []).filter(({ name }) => name !== state.active?.name);
  const standsFor = ({ name, clusterSelectors: own }: Stage, gone: GoneStage): boolean =>
    gone.clusterSelectors === undefined ? gone.by.includes(name) : mayShare(gone.clusterSelectors, own);
  const counts = (stage: Stage): boolean =>
    policies.some((one) => one.stage === stage.name && !one.isDeleting) ||
    passed.some((gone) => standsFor(stage, gone));
  return spec.stages
    .filter((stage) => isLeftOut(state, spec, stage.name) && counts(stage))
    .map(({ name }) => name);
}
