import type { Stage } from '../../crds/staged-binding-policy.ts';
import { holdOfFreeze, type ClosedGate } from '../gates/freeze.ts';
import { holdOfWindows } from '../gates/windows.ts';
import { given, omit } from '../model/fields.ts';
import type { ObservedStaged, Situation, StagePolicy } from './observation.ts';
import { explainUnselected } from './policy.ts';
import { computeProgress, readStrategy, type Progress, type Strategy } from './progressive.ts';
import {
  clearRequest,
  isPassed,
  markStage,
  type ActiveState,
  type StagedDecision,
  type StagedState,
  type StagedTurn,
  type StagedWait,
} from './state.ts';

/** Continues with the next clusters; undefined when there are none to begin with. */
export function reachNextClusters(
  { active: { name } }: ActiveState,
  { next, of, done, failed }: Progress,
  situation: Situation,
): StagedDecision | undefined {
  const own = situation.observed.policies.find(({ stage }) => stage === name);
  if (own?.only === undefined || next.length === 0) return undefined;
  const left = failed.length === 0 ? '' : `, ${failed.length} have failed`;
  const message = `Stage ${name} continues with ${listed(next)}: ${done.length} of ${of} clusters are done${left}.`;
  const clusters = [...own.only, ...next];
  return waitForGates(situation, message) ?? { do: 'Apply', stage: name, clusters, found: own.uid, message };
}

const MOST_NAMED = 5;

/** Names some clusters, and how many more there are. */
export function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  const shown = names.slice(0, MOST_NAMED).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

const waitForFreeze = ({ observed, now }: Situation, next: string): StagedWait | undefined =>
  waitFor(holdOfFreeze(observed.freezes, now), { reason: 'WaitingForFreeze', next });

const waitForGates = (situation: Situation, next: string): StagedWait | undefined =>
  waitForFreeze(situation, next) ??
  waitFor(holdOfWindows(situation.spec.windows, situation.now), { reason: 'WaitingForWindow', next });

const waitFor = (
  gate: ClosedGate | undefined,
  { reason, next }: { readonly reason: string; readonly next: string },
): StagedWait | undefined =>
  gate && { do: 'Wait', phase: 'Waiting', reason, ...gate, message: `${gate.message} Next: ${next}` };

/** Begins a stage, unless something holds it. */
export function beginStage(state: StagedState, { name }: Stage, situation: Situation): StagedTurn {
  const { now } = situation;
  const message = `Stage ${name} begins.`;
  const held = waitForGates(situation, message);
  if (held !== undefined) return { state, decision: held };
  // Where the status is lost it may have served.
  const hasServed = situation.observed.policies.some(({ stage }) => stage === name) || undefined;
  const active = { name, startedAt: now, countsFrom: now, ...given({ hasServed }) };
  // A promote that still waits was about another stage.
  const before = omit(clearRequest(state, 'promote'), 'active');
  const mark = { name, phase: 'Binding', startedAt: new Date(now).toISOString() } as const;
  const begun = markStage({ ...before, active }, mark, now);
  // What was seen says as well what is to be placed now.
  return placeStages({ ...begun, active }, situation) ?? { state: begun, decision: { do: 'Look', message } };
}

/** Begins the first stage, unless a person has to let it continue. */
export function beginFirstStage(state: StagedState, situation: Situation): StagedTurn | undefined {
  const { active, held } = state;
  const [first] = situation.spec.stages;
  if (active !== undefined || first === undefined) return undefined;
  if (held === undefined) return beginStage(state, first, situation);
  const { reason, message } = held;
  return { state, decision: { do: 'Wait', phase: 'RolledBack', reason, message, isTrouble: true } };
}

/** Makes the BindingPolicies of the stages what they are to be; undefined when they are. */
export function placeStages(state: ActiveState, situation: Situation): StagedTurn | undefined {
  const { stages, stageRetention } = situation.spec;
  for (const stage of stages) {
    const isKept = stageRetention === 'Keep' && isPassed(state, stage.name);
    if (stage.name !== state.active.name && !isKept) continue;
    const placed = placeOne(state, situation, stage);
    if (placed === 'Unknown') return undefined;
    if (placed !== undefined) return placed;
  }
  return clear(state, situation);
}

/** Finds which clusters a stage begins with, before it has a BindingPolicy; undefined when it has begun, `Unknown` while they are. */
function reachFirstClusters(
  state: ActiveState,
  situation: Situation,
  { policy, strategy }: { readonly policy: StagePolicy | undefined; readonly strategy: Strategy },
): StagedTurn | 'Unknown' | undefined {
  const { selection } = situation.observed;
  const { name: stage } = state.active;
  if (policy !== undefined && policy.only === undefined) return undefined;
  if (selection?.isDeleting === true) {
    const message = `BindingPolicy ${selection.name} is being deleted; Okra recreates it once it is gone.`;
    return { state, decision: { do: 'Wait', phase: 'Progressing', reason: 'Removing', message } };
  }
  // What KubeStellar has answered of another stage is about other clusters.
  if (selection !== undefined && selection.stage !== stage) {
    const { name, uid } = selection;
    const message = `Deleting BindingPolicy ${name}: it belongs to stage ${selection.stage}.`;
    return { state, decision: { do: 'Remove', name, uid, message } };
  }
  if (selection?.isAsAsked !== true) {
    const message = `Asking KubeStellar which clusters stage ${stage} selects.`;
    return { state, decision: { do: 'Select', stage, message } };
  }
  if (policy !== undefined) return undefined;
  if (explainUnselected(stage, selection) !== undefined) return 'Unknown';
  const { clusters: all = [] } = selection;
  const { next } = computeProgress(strategy, { all, reached: [], fulfilled: [] }, [], situation.now);
  const message = `Stage ${stage} begins with ${listed(next)}, of ${all.length} clusters.`;
  return {
    // What was begun with before is gone, and how long it took says nothing of what comes now.
    state: { ...state, active: omit(state.active, 'clusters') },
    // KubeStellar may have taken its time to say which clusters there are.
    decision: waitForGates(situation, message) ?? { do: 'Apply', stage, clusters: next, message },
  };
}

/** Applies the BindingPolicy of a stage if it differs; `Unknown` while its clusters are unknown. */
function placeOne(
  state: ActiveState,
  situation: Situation,
  stage: Stage,
): StagedTurn | 'Unknown' | undefined {
  const { observed, spec } = situation;
  const { name } = stage;
  const policy = observed.policies.find((one) => one.stage === name);
  if (policy?.isDeleting === true) {
    const message = `BindingPolicy ${policy.name} is being deleted, not by Okra; Okra recreates it once it is gone.`;
    return { state, decision: { do: 'Wait', phase: 'Progressing', reason: 'Removing', message } };
  }
  const { active } = state;
  // What reaches some of its clusters does so until its stage is over.
  const isOpen = active.name === name && active.completedAt === undefined;
  const strategy = isOpen ? readStrategy(spec, stage) : undefined;
  const begun = strategy && reachFirstClusters(state, situation, { policy, strategy });
  if (begun !== undefined) return begun;
  const isRight = strategy !== undefined || policy?.only === undefined;
  if (policy?.isAsAsked === true && isRight) return undefined;
  const message =
    policy === undefined
      ? `Creating the BindingPolicy of stage ${name}.`
      : `Updating the BindingPolicy of stage ${name} to match the spec.`;
  const held = reachesNoMore(policy, observed) ? undefined : waitForFreeze(situation, message);
  const change = given({ clusters: isRight ? policy?.only : undefined, found: policy?.uid });
  return { state, decision: held ?? { do: 'Apply', stage: name, ...change, message } };
}

const reachesNoMore = (policy: StagePolicy | undefined, { selection }: ObservedStaged): boolean =>
  policy?.isAsAsked === true &&
  policy.stage === selection?.stage &&
  selection.clusters?.every((name) => policy.only?.includes(name)) === true;

/** Deletes what is no longer needed, once the active stage is bound and reaches all its clusters. */
function clear(state: ActiveState, situation: Situation): StagedTurn | undefined {
  const { observed, object, spec } = situation;
  const own = observed.policies.find(({ stage }) => stage === state.active.name);
  const { selection } = observed;
  if (own === undefined || own.only !== undefined) return undefined;
  if (selection?.isDeleting === false) {
    const message = `Deleting BindingPolicy ${selection.name}: all clusters of its stage are selected.`;
    return { state, decision: { do: 'Remove', name: selection.name, uid: selection.uid, message } };
  }
  if (!own.isBound || spec.stageRetention === 'Keep') return undefined;
  const left = observed.policies.find(({ stage, isDeleting }) => !isDeleting && isPassed(state, stage));
  if (left === undefined) return undefined;
  const message = `Deleting BindingPolicy ${left.name}: its stage is completed, and stageRetention is Remove.`;
  const { name, uid } = left;
  const removal = { do: 'Remove', name, uid, generation: object.generation, message } as const;
  return { state, decision: waitForFreeze(situation, message) ?? removal };
}
