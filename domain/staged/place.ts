import type { Stage } from '../../crds/staged-binding-policy.ts';
import type { StagedTurn } from './decision.ts';
import { beginClusters, isProgressive, select } from './clusters.ts';
import { isNeeded, isWanted, mayHaveServed, nextOf } from './edits.ts';
import { frozen, shut } from './hold.ts';
import type { ObservedStaged, StagePolicy } from './observation.ts';
import { mayShare } from './selectors.ts';
import type { Situation } from './situation.ts';
import { answered, isPassed, marked, withoutStage, type ActiveStage, type StagedState } from './state.ts';

type Active = StagedState & { readonly active: ActiveStage };

/** Begins a stage, unless something holds it. */
export function begin(state: StagedState, next: Stage, situation: Situation): StagedTurn {
  const { observed, object, now } = situation;
  const { name } = next;
  const message = `Stage ${name} begins.`;
  const held = frozen(observed, message, now) ?? shut(object, message, now);
  if (held !== undefined) return { state, decision: held };
  const startedAt = new Date(now).toISOString();
  const hasServed = mayHaveServed(state, next);
  const active = { name, startedAt: now, ...(hasServed ? { hasServed } : {}) };
  // A promote that still waits was about another stage.
  const before = withoutStage(answered(state, 'promote'));
  const mark = { name, phase: 'Binding', startedAt, ...(hasServed ? { completed: true } : {}) } as const;
  const begun = marked({ ...before, active }, mark, now);
  // What was seen says as well what is to be placed now.
  return place({ ...begun, active }, situation) ?? { state: begun, decision: { do: 'Look', message } };
}

/** Begins the stage that comes next when none has begun, or when the one that had is no longer asked for. */
export function beginNext(state: StagedState, situation: Situation): StagedTurn | undefined {
  const { stages } = situation.spec;
  if (stages.some(({ name }) => name === state.active?.name)) return undefined;
  const next = nextOf(state, stages);
  if (next === undefined) return undefined;
  const { active, held } = state;
  if (held === undefined) return begin(state, next, situation);
  const { reason } = held;
  const phase = held.stage === active?.name ? 'Paused' : 'RolledBack';
  const help = ` Stage ${active?.name} is no longer asked for. Send retry to begin with stage ${next.name}, or abort.`;
  const message = active === undefined ? held.message : `${held.message}${help}`;
  return { state, decision: { do: 'Wait', phase, reason, message, isTrouble: true } };
}

/** Makes the BindingPolicies of the stages what they are to be; undefined when they are. */
export function place(state: Active, situation: Situation): StagedTurn | undefined {
  const { spec } = situation;
  for (const { name } of spec.stages.filter((stage) => isWanted(state, spec, stage.name))) {
    const placed = placeStage(state, situation, name);
    if (placed === 'Unknown') return undefined;
    if (placed !== undefined) return placed;
  }
  return clear(state, situation);
}

/** Makes the BindingPolicy of a stage what it is to be; undefined when it is, `Unknown` while nobody knows which clusters it has. */
function placeStage(state: Active, situation: Situation, name: string): StagedTurn | 'Unknown' | undefined {
  const { observed } = situation;
  const policy = observed.policies.find(({ stage }) => stage === name);
  if (policy?.isDeleting === true) return { state, decision: waitForGone(policy) };
  const isFew = isProgressive(state, situation, name);
  const isAsked = isFew && (policy === undefined || policy.only !== undefined);
  const asked = isAsked ? select(observed.selection, name) : undefined;
  if (asked !== undefined) return { state, decision: asked };
  if (isFew && policy === undefined) return beginClusters(state, situation) ?? 'Unknown';
  return corrected(state, situation, { name, policy, isFew });
}

/** Makes a BindingPolicy say what it is to say; undefined when it does. */
function corrected(
  state: Active,
  situation: Situation,
  of: { readonly name: string; readonly policy: StagePolicy | undefined; readonly isFew: boolean },
): StagedTurn | undefined {
  const { name, policy, isFew } = of;
  // What reaches some of its clusters does so until its stage is over.
  const isRight = isFew || policy?.only === undefined;
  const only = isRight ? policy?.only : undefined;
  if (policy !== undefined && isGiving(state, situation, policy)) {
    if (policy.keepsFormer === true && isRight) return undefined;
    return applied(state, situation, { name, policy, only, keepsFormer: true });
  }
  if (policy?.isAsAsked === true && isRight) return undefined;
  return applied(state, situation, { name, policy, only });
}

function applied(
  state: Active,
  { observed, now }: Situation,
  {
    name,
    policy,
    only,
    keepsFormer,
  }: {
    readonly name: string;
    readonly policy: StagePolicy | undefined;
    readonly only: readonly string[] | undefined;
    readonly keepsFormer?: true;
  },
): StagedTurn {
  const message =
    policy === undefined
      ? `The BindingPolicy of stage ${name} is created.`
      : `The BindingPolicy of stage ${name} is made to say what the spec does.`;
  const change = {
    stage: name,
    ...(only === undefined ? {} : { clusters: only }),
    ...(keepsFormer === undefined ? {} : { keepsFormer }),
    ...foundOf(policy),
  };
  const held = reachesNoMore(policy, observed) ? undefined : frozen(observed, message, now);
  return { state, decision: held ?? { do: 'Apply', ...change, message } };
}

/** Whether a BindingPolicy may reach a cluster that an edit has given to another stage, which does not reach it yet. */
function isGiving(state: Active, { observed, spec }: Situation, { stage, former }: StagePolicy): boolean {
  const isReached = (name: string): boolean => {
    const own = observed.policies.find((one) => one.stage === name);
    const saysIt = own?.isAsAsked === true || own?.keepsFormer === true;
    return saysIt && own.isBound && own.only === undefined;
  };
  return (
    former !== undefined &&
    spec.stages.some(
      ({ name, clusterSelectors }) =>
        name !== stage &&
        isWanted(state, spec, name) &&
        !isReached(name) &&
        mayShare(former, clusterSelectors),
    )
  );
}

/** Whether a BindingPolicy that is to reach all clusters of its stage has reached them all. */
const reachesNoMore = (policy: StagePolicy | undefined, { selection }: ObservedStaged): boolean =>
  policy?.isAsAsked === true &&
  policy.stage === selection?.stage &&
  selection.clusters?.every((name) => policy.only?.includes(name)) === true;

const foundOf = (policy: StagePolicy | undefined) => (policy === undefined ? {} : { found: policy.uid });

/** Deletes the BindingPolicies of stages that are not kept or not asked for any more, once the active stage is bound and all that may need them. */
function clear(state: Active, situation: Situation): StagedTurn | undefined {
  const { observed, object, spec, now } = situation;
  const own = observed.policies.find(({ stage }) => stage === state.active.name);
  const { selection } = observed;
  if (own !== undefined && own.only === undefined && selection?.isDeleting === false) {
    const message = `BindingPolicy ${selection.name} is deleted, because all clusters of its stage are selected.`;
    return { state, decision: { do: 'Remove', name: selection.name, uid: selection.uid, message } };
  }
  if (own?.isBound !== true) return undefined;
  const selectorsOf = (stage: string) => spec.stages.find(({ name }) => name === stage)?.clusterSelectors;
  const isAsked = (stage: string): boolean => selectorsOf(stage) !== undefined;
  // What reaches its clusters a few at a time may come last to those that the earlier stage has served, as an edit may not say any more.
  const mayGain = ({ stage, former = [], only = [] }: StagePolicy): boolean =>
    own.only !== undefined &&
    (mayShare([...(selectorsOf(stage) ?? []), ...former], selectorsOf(state.active.name) ?? []) ||
      only.some((cluster) => selection?.clusters?.includes(cluster) !== false));
  const left = observed.policies.find((policy) => {
    const { stage, isDeleting } = policy;
    const isOver = spec.stageRetention === 'Remove' && isPassed(state, stage) && !mayGain(policy);
    return !isDeleting && (isOver || (!isAsked(stage) && !isNeeded(state, situation, stage)));
  });
  if (left === undefined) return undefined;
  const why = isAsked(left.stage) ? 'is passed and not kept' : 'is no longer asked for';
  const message = `BindingPolicy ${left.name} is deleted, because its stage ${why}.`;
  const { name, uid } = left;
  const { generation } = object;
  return {
    state,
    decision: frozen(observed, message, now) ?? { do: 'Remove', name, uid, generation, message },
  };
}

const waitForGone = ({ name }: StagePolicy): StagedTurn['decision'] => ({
  do: 'Wait',
  phase: 'Progressing',
  reason: 'Removing',
  message: `BindingPolicy ${name} is being deleted by someone; it is made again when it is gone.`,
});
