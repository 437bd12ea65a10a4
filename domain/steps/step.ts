import type { CanaryStep } from '../../crds/cell.ts';
import type { Decision } from '../decision.ts';
import type { GuardInput } from '../guard.ts';
import type { Rollout } from '../state.ts';

/** The kinds of steps: the keys of which a step in the spec has exactly one. */
export type StepKindName = keyof CanaryStep;

/** What the spec says of a step of a kind. */
export type StepSpec<Kind extends StepKindName> = NonNullable<CanaryStep[Kind]>;

/** A step of a rollout. */
export type Step<Kind extends StepKindName = StepKindName> = {
  [Name in Kind]: { readonly kind: Name; readonly spec: StepSpec<Name> };
}[Kind];

/** A kind of step that gives the canary another weight. */
export interface MovingKind<Spec> {
  /** Says the step the way a person would. */
  readonly describe: (spec: Spec) => string;
  /** The canary's total weight once the step is done, of what it was before. */
  readonly weightAfter: (spec: Spec, before: number) => number;
}

/** A kind of step that leaves the weights as they are. */
export interface StandingKind<Spec> {
  /** Says the step the way a person would. */
  readonly describe: (spec: Spec) => string;
  /** Decides what the step needs next; a request to promote has been answered before. */
  readonly next: (spec: Spec, rollout: Rollout, input: GuardInput) => Decision;
  /** Whether only a person can end it. */
  readonly waitsForPerson?: (spec: Spec) => boolean;
  /** Whether it makes AnalysisRuns or Experiments. */
  readonly measures?: true;
}

/** A kind of step. */
export type StepKind<Spec> = MovingKind<Spec> | StandingKind<Spec>;

/** The current step of the rollout is done. */
export const advance = ({ index, steps }: Rollout, why: string): Decision => ({
  do: 'Advance',
  message: `Step ${index + 1} of ${steps.length} is done. ${why}`,
});
