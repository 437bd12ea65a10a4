import { TOTAL_WEIGHT } from '../load-balancers/weights.ts';
import type { MovingKind } from './step.ts';
import type { StepSpec } from '../model/state.ts';

/** Adds to the canary's total weight. */
export const stepWeight: MovingKind<StepSpec<'stepWeight'>> = {
  describe: (added) => `add ${added} to the canary's weight`,
  weightAfter: (added, before) => Math.min(TOTAL_WEIGHT, before + added),
};
