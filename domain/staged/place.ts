import type { Stage } from '../../crds/staged-binding-policy.ts';
import type { StagedTurn } from './decision.ts';
import {
  reachFirstClusters,
  waitForFreeze,
  isProgressive,
  selectClusters,
  waitForWindow,
} from './clusters.ts';
import type { ObservedStaged, Situation, StagePolicy } from './observation.ts';
import {
  clearRequest,
  isPassed,
  markStage,
  clearStage,
  type ActiveState,
  type StagedState,
} from './state.ts';

/** Begins a stage, unless something holds it. */
export function beginStage(state: StagedState, { name }: Stage, situation: Situation): StagedTurn {
  const { observed, object, now } = situation;
  const message = `Stage ${name} begins.`;
  const held = waitForFreeze(observed, message, now) ?? waitForWindow(object, message, now);
  if (held !== undefined) return { state, decision: held };
  const active = { name, startedAt: now, countsFrom: now };
  // A promote that still waits was about another stage.
  const before = clearStage(clearRequest(state, 'promote'));
  const mark = { name, phase: 'Binding', startedAt: new Date(now).toISOString() } as const;
  const begun = markStage({ ...before, active }, mark, now);
  // What was seen says as well what is to be placed now.
  return placeStages({ ...begun, active }, situation) ?? { state: begun, decision: { do: 'Look', message } };
}

/** Begins the first stage, unless a person has to let it go on. */
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
  for (const { name } of stages) {
    const isKept = stageRetention === 'Keep' && isPassed(state, name);
    if (name !== state.active.name && !isKept) continue;
    const placed = placeOne(state, situation, name);
    if (placed === 'Unknown') return undefined;
    if (placed !== undefined) return placed;
  }
  return clear(state, situation);
}

/** Applies the BindingPolicy of a stage if it differs; `Unknown` while its clusters are unknown. */
function placeOne(
  state: ActiveState,
  situation: Situation,
  name: string,
): StagedTurn | 'Unknown' | undefined {
  const { observed } = situation;
  const policy = observed.policies.find(({ stage }) => stage === name);
  if (policy?.isDeleting === true) return { state, decision: waitForGone(policy) };
  const isFew = isProgressive(state, situation, name);
  const isAsked = isFew && (policy === undefined || policy.only !== undefined);
  const asked = isAsked ? selectClusters(observed.selection, name) : undefined;
  if (asked !== undefined) return { state, decision: asked };
  if (isFew && policy === undefined) return reachFirstClusters(state, situation) ?? 'Unknown';
  return corrected(state, situation, { name, policy, isFew });
}

/** Makes a BindingPolicy say what it is to say; undefined when it does. */
function corrected(
  state: ActiveState,
  { observed, now }: Situation,
  of: { readonly name: string; readonly policy: StagePolicy | undefined; readonly isFew: boolean },
): StagedTurn | undefined {
  const { name, policy, isFew } = of;
  // What reaches some of its clusters does so until its stage is over.
  const isRight = isFew || policy?.only === undefined;
  if (policy?.isAsAsked === true && isRight) return undefined;
  const message =
    policy === undefined
      ? `Creating the BindingPolicy of stage ${name}.`
      : `Updating the BindingPolicy of stage ${name} to match the spec.`;
  const change = {
    stage: name,
    ...(isRight && policy?.only !== undefined ? { clusters: policy.only } : {}),
    ...(policy === undefined ? {} : { found: policy.uid }),
  };
  const held = reachesNoMore(policy, observed) ? undefined : waitForFreeze(observed, message, now);
  return { state, decision: held ?? { do: 'Apply', ...change, message } };
}

/** Whether a BindingPolicy that is to reach all clusters of its stage has reached them all. */
const reachesNoMore = (policy: StagePolicy | undefined, { selection }: ObservedStaged): boolean =>
  policy?.isAsAsked === true &&
  policy.stage === selection?.stage &&
  selection.clusters?.every((name) => policy.only?.includes(name)) === true;

/** Deletes what is no longer needed, once the active stage is bound and reaches all its clusters. */
function clear(state: ActiveState, { observed, object, spec, now }: Situation): StagedTurn | undefined {
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
  const { generation } = object;
  return {
    state,
    decision: waitForFreeze(observed, message, now) ?? { do: 'Remove', name, uid, generation, message },
  };
}

const waitForGone = ({ name }: StagePolicy): StagedTurn['decision'] => ({
  do: 'Wait',
  phase: 'Progressing',
  reason: 'Removing',
  message: `BindingPolicy ${name} is being deleted, not by Okra; Okra recreates it once it is gone.`,
});
