import type { StagedBindingPolicySpec } from '../../crds/staged-binding-policy.ts';
import type { StagedTurn } from './decision.ts';
import { frozen, shut } from './hold.ts';
import type { ObservedStaged, PresentPolicy, StagePolicy } from './observation.ts';
import { isPassed, marked, withoutStage, type ActiveStage, type StagedState } from './state.ts';

/** What a turn looks at. */
export interface Situation {
  readonly observed: ObservedStaged;
  readonly object: PresentPolicy;
  readonly spec: StagedBindingPolicySpec;
  readonly now: number;
}

/** Begins a stage, unless something holds it. */
export function begin(state: StagedState, stage: string, { observed, object, now }: Situation): StagedTurn {
  const message = `Stage ${stage} begins.`;
  const held = frozen(observed, message, now) ?? shut(object, message, now);
  if (held !== undefined) return { state, decision: held };
  const startedAt = new Date(now).toISOString();
  const next = marked(
    { ...withoutStage(state), active: { name: stage, startedAt: now } },
    { name: stage, phase: 'Binding', startedAt },
    now,
  );
  return { state: next, decision: { do: 'Look', message } };
}

/** Begins the stage that comes next when none has begun, or when the one that had is no longer asked for. */
export function beginNext(state: StagedState, situation: Situation): StagedTurn | undefined {
  const { stages } = situation.spec;
  if (stages.some(({ name }) => name === state.active?.name)) return undefined;
  const next = stages.find(({ name }) => !isPassed(state, name)) ?? stages.at(-1);
  if (next === undefined) return undefined;
  if (state.held === undefined) return begin(state, next.name, situation);
  const { message } = state.held;
  return {
    state,
    decision: { do: 'Wait', phase: 'RolledBack', reason: state.held.reason, message, isTrouble: true },
  };
}

/** Makes the BindingPolicies of the stages what they are to be; undefined when they are. */
export function place(
  state: StagedState & { readonly active: ActiveStage },
  situation: Situation,
): StagedTurn | undefined {
  const { observed, spec, now } = situation;
  const wanted = spec.stages.filter(
    ({ name }) => name === state.active.name || (spec.stageRetention === 'Keep' && isPassed(state, name)),
  );
  for (const { name } of wanted) {
    const policy = observed.policies.find(({ stage }) => stage === name);
    if (policy?.isDeleting === true) return { state, decision: waitForGone(policy) };
    if (policy?.isAsAsked === true) continue;
    const message =
      policy === undefined
        ? `The BindingPolicy of stage ${name} is created.`
        : `The BindingPolicy of stage ${name} is made to say what the spec does.`;
    return { state, decision: frozen(observed, message, now) ?? { do: 'Apply', stage: name, message } };
  }
  return clear(state, situation);
}

/** Deletes the BindingPolicies of stages that are not kept or not asked for any more, once the active stage is bound. */
function clear(
  state: StagedState & { readonly active: ActiveStage },
  { observed, spec, now }: Situation,
): StagedTurn | undefined {
  const own = observed.policies.find(({ stage }) => stage === state.active.name);
  if (own?.isBound !== true) return undefined;
  const isAsked = (stage: string): boolean => spec.stages.some(({ name }) => name === stage);
  const left = observed.policies.find(({ stage, isDeleting }) => {
    const isOver = spec.stageRetention === 'Remove' && isPassed(state, stage);
    return !isDeleting && (isOver || !isAsked(stage));
  });
  if (left === undefined) return undefined;
  const why = isAsked(left.stage) ? 'is passed and not kept' : 'is no longer asked for';
  const message = `BindingPolicy ${left.name} is deleted, because its stage ${why}.`;
  return {
    state,
    decision: frozen(observed, message, now) ?? { do: 'Remove', name: left.name, uid: left.uid, message },
  };
}

const waitForGone = ({ name }: StagePolicy): StagedTurn['decision'] => ({
  do: 'Wait',
  phase: 'Progressing',
  reason: 'Removing',
  message: `BindingPolicy ${name} is being deleted by somebody; it is made again when it is gone.`,
});
