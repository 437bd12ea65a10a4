import type { NotYet } from '../activities/contract.ts';
import type { ObservedCell } from '../domain/model/observation.ts';
import { waitingForBudget } from '../domain/rollout/record-backoff.ts';
import type { RolloutState } from '../domain/model/state.ts';

/** What a decision is performed with. */
export interface Situation {
  readonly observed: ObservedCell;
  readonly state: () => RolloutState;
  /** Whether the objects have changed since they were looked at. */
  readonly isStale: () => boolean;
}

/** The result of it. */
export interface Performed {
  readonly apply: (state: RolloutState) => RolloutState;
  /** What is known of the objects: the same, a new look, or that they have to be looked at. */
  readonly sight: 'Same' | 'Stale' | { readonly observed: ObservedCell };
}

/** The result of it, and whether what was decided was done, so that it may be told. */
export type CarriedOut = Performed & { readonly isDone: boolean };

/** It was done, and the objects are as they were. */
export const kept = (apply: Performed['apply']): CarriedOut => ({ apply, sight: 'Same', isDone: true });

/** It was done, and the objects have to be looked at. */
export const looking = (apply: Performed['apply']): CarriedOut => ({ apply, sight: 'Stale', isDone: true });

/** A write that waits for its turn in the budget, where everything that goes before it can reach it. */
export const postponed = ({ ticket, waitMs }: NotYet, urgent: boolean): CarriedOut => ({
  ...kept((state) => waitingForBudget(state, { ticket, urgent, notBefore: Date.now() + waitMs })),
  isDone: false,
});
