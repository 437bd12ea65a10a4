import type { MovingKind } from './step.ts';
import type { StepSpec } from '../model/state.ts';

/** Gives the canary a total weight. */
export const setWeight: MovingKind<StepSpec<'setWeight'>> = {
  describe: (weight) => `set the canary's weight to ${weight}`,
  weightAfter: (weight) => weight,
};
