import type { CanaryStep } from '../../crds/cell.ts';

/** The kinds of steps: the keys of which a step in the spec has exactly one. */
export type StepKindName = keyof CanaryStep;

/** What the spec says of a step of a kind. */
export type StepSpec<Kind extends StepKindName> = NonNullable<CanaryStep[Kind]>;

/** A step of a rollout. */
export type Step<Kind extends StepKindName = StepKindName> = {
  [Name in Kind]: { readonly kind: Name; readonly spec: StepSpec<Name> };
}[Kind];
