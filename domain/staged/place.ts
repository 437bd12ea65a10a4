import type { Stage, StagedBindingPolicySpec } from '../../crds/staged-binding-policy.ts';
import {
  type StagedTurn,
  clearRequest,
  isPassed,
  markStage,
  clearStage,
  type ActiveState,
  type StagedState,
  type StagedDecision,
  type StagedWait,
  type ActiveStage,
} from './state.ts';
import type {
  ObservedStaged,
  Situation,
  StagePolicy,
  ClusterSelection,
  PresentPolicy,
  StageView,
} from './observation.ts';
import { freezeAt, heldByFreeze } from '../gates/freeze.ts';
import { openingAt } from '../gates/windows.ts';
import { computeProgress, readStrategy, type Progress, type Strategy } from './progressive.ts';
import { explainUnselected } from './policy.ts';

/** Whether a stage is to reach its clusters a few at a time, and is not over. */
function isProgressive({ active }: ActiveState, { spec }: Pick<Situation, 'spec'>, name: string): boolean {
  const isActive = active.name === name && active.completedAt === undefined;
  return isActive && strategyOf(active, spec) !== undefined;
}

function strategyOf({ name }: ActiveStage, spec: StagedBindingPolicySpec): Strategy | undefined {
  const stage = spec.stages.find((one) => one.name === name);
  return stage === undefined ? undefined : readStrategy(spec, stage);
}

/** Reaches the first clusters of a stage; undefined while they are unknown, or there are none. */
function reachFirstClusters(state: ActiveState, situation: Situation): StagedTurn | undefined {
  const { observed, object, spec, now } = situation;
  const { name } = state.active;
  const all = observed.selection?.clusters ?? [];
  const strategy = strategyOf(state.active, spec);
  const isKnown = explainUnselected(name, observed.selection) === undefined;
  if (strategy === undefined || !isKnown) return undefined;
  const { next } = computeProgress(strategy, { all, reached: [], fulfilled: [] }, [], now);
  const message = `Stage ${name} begins with ${listed(next)}, of ${all.length} clusters.`;
  // What was begun with before is gone, and how long it took says nothing of what comes now.
  const { clusters: _before, ...active } = state.active;
  return {
    state: { ...state, active },
    decision: waitForFreeze(observed, message, now) ??
      // KubeStellar may have taken its time to say which clusters there are.
      waitForWindow(object, message, now) ?? { do: 'Apply', stage: name, clusters: next, message },
  };
}

/** Asks which clusters a stage selects, unless that has been asked. */
function selectClusters(selection: ClusterSelection | undefined, stage: string): StagedDecision | undefined {
  if (selection?.isDeleting === true) {
    const message = `BindingPolicy ${selection.name} is being deleted; Okra recreates it once it is gone.`;
    return { do: 'Wait', phase: 'Progressing', reason: 'Removing', message };
  }
  // What KubeStellar has answered of another stage is about other clusters.
  if (selection !== undefined && selection.stage !== stage) {
    const message = `Deleting BindingPolicy ${selection.name}: it belongs to stage ${selection.stage}.`;
    return { do: 'Remove', name: selection.name, uid: selection.uid, message };
  }
  if (selection?.isAsAsked === true) return undefined;
  return { do: 'Select', stage, message: `Asking KubeStellar which clusters stage ${stage} selects.` };
}

/** Finds the progress of a progressive stage; undefined for others, or while it is unknown. */
export function findProgress(
  { active }: ActiveState,
  { clusters }: StageView,
  { spec, now }: Pick<Situation, 'spec' | 'now'>,
): Progress | undefined {
  const strategy = strategyOf(active, spec);
  if (strategy === undefined || clusters === undefined) return undefined;
  return computeProgress(strategy, clusters, active.clusters ?? [], now);
}

/** Goes on with the next clusters; undefined when there are none to begin with. */
export function reachNextClusters(
  { active }: ActiveState,
  { next, of, done, failed }: Progress,
  { observed, object, now }: Situation,
): StagedDecision | undefined {
  const own = observed.policies.find(({ stage }) => stage === active.name);
  if (own?.only === undefined || next.length === 0) return undefined;
  const left = failed.length === 0 ? '' : `, ${failed.length} have failed`;
  const message = `Stage ${active.name} continues with ${listed(next)}: ${done.length} of ${of} clusters are done${left}.`;
  return (
    waitForFreeze(observed, message, now) ??
    waitForWindow(object, message, now) ?? {
      do: 'Apply',
      stage: active.name,
      clusters: [...own.only, ...next],
      found: own.uid,
      message,
    }
  );
}

const MOST_NAMED = 5;

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  const shown = names.slice(0, MOST_NAMED).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** How far a stage is with its clusters, for its status. */
export const summarizeProgress = ({ of, marks, done, failed }: Progress) => ({
  of,
  reached: marks.length,
  done: done.length,
  failed: failed.length,
  failing: failed.slice(0, 20),
});

/** What has gone wrong when too many clusters have failed. */
export const describeFailures = (
  stage: string,
  { failed, of }: Progress,
  observed: ObservedStaged,
): string => {
  const why = observed.view?.first;
  const first = why === undefined ? '' : ` ${why.object}: ${why.reason}`;
  return `Stage ${stage}: ${failed.length} of ${of} clusters did not fulfil it in time: ${listed(failed)}.${first}`;
};

/** What holds whatever goes forward: a Freeze. */
function waitForFreeze({ freezes }: ObservedStaged, next: string, now: number): StagedWait | undefined {
  const freeze = freezeAt(freezes, now);
  if (freeze === undefined) return undefined;
  return {
    do: 'Wait',
    phase: 'Waiting',
    reason: 'WaitingForFreeze',
    until: freeze.until,
    message: `${heldByFreeze(freeze)} Next: ${next}`,
  };
}

/** What holds the beginning of a stage besides: windows. */
function waitForWindow({ spec }: PresentPolicy, next: string, now: number): StagedWait | undefined {
  const opening = openingAt(spec?.windows, now);
  if (opening.is === 'Open') return undefined;
  const { opensAt } = opening;
  const when =
    opensAt === undefined
      ? 'none of spec.windows opens within 400 days. Correct them.'
      : `the next one opens at ${new Date(opensAt).toISOString()}.`;
  return {
    do: 'Wait',
    phase: 'Waiting',
    reason: 'WaitingForWindow',
    until: opensAt,
    message: `Waiting for a window; ${when} Next: ${next}`,
  };
}

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
