import { sameValue } from '../kubernetes/canonical.ts';
import type { ObservedStaged, PresentPolicy } from './observation.ts';
import type { StagedBindingPolicySpec } from '../../crds/staged-binding-policy.ts';
import type { BegunStage, StageMark, StagedState } from './state.ts';

/** The stages that a spec asks for, or what it may not change of them. */
export interface FollowedStages {
  readonly state: StagedState;
  readonly problem?: { readonly reason: 'StageChanged'; readonly message: string };
}

/** Follows the stages of a spec, unless it changes the name, place or clusters of one that has begun. */
export function followStages(
  state: StagedState,
  { policies, object, now }: Pick<ObservedStaged, 'policies'> & { object: PresentPolicy; now: number },
): FollowedStages {
  const { spec } = object;
  if (spec === undefined) return { state };
  const names = begunNames(state, spec);
  const changed = names.findIndex((name, index) => isChanged(state, name, spec.stages[index]));
  if (changed >= 0) {
    const message = `invalid spec.stages[${changed}]: must be stage ${names[changed]} as it has begun, with its clusterSelectors. Restore it, or send abort to take it back.`;
    return { state, problem: { reason: 'StageChanged', message } };
  }
  // Until its BindingPolicy is there, the active stage begins with what the spec says by then.
  const isPlaced = (stage: string): boolean =>
    stage !== state.active?.name ||
    state.begun.some(({ name }) => name === stage) ||
    policies.some((policy) => policy.stage === stage);
  const begun = spec.stages
    .slice(0, names.length)
    .filter(({ name }) => isPlaced(name))
    .map(({ name, clusterSelectors }) => ({ name, clusterSelectors }));
  const next = { ...state, stages: spec.stages.map(({ name }) => markOf(state, name, now)), begun };
  const isAsked = (stage: string): boolean => spec.stages.some(({ name }) => name === stage);
  const strange = policies.find(({ stage, isDeleting }) => !isDeleting && !isAsked(stage));
  if (strange === undefined) return { state: next };
  const message = `invalid spec.stages: must have stage ${strange.stage}, because of BindingPolicy ${strange.name}. Add the stage, or delete the BindingPolicy.`;
  return { state: next, problem: { reason: 'StageChanged', message } };
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
