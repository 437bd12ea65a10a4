import type { StagedBindingPolicyStatus } from '../../crds/staged-binding-policy.ts';
import type { StagedState } from './state.ts';

/** The one thing to do next for a StagedBindingPolicy. */
export type StagedDecision =
  /** Create the BindingPolicy of a stage, or make it say what it should. */
  | ({ readonly do: 'Apply'; readonly message: string } & StageChange)
  /** Ask KubeStellar which clusters a stage selects. */
  | { readonly do: 'Select'; readonly stage: string; readonly message: string }
  /** Delete a BindingPolicy of its own. */
  | ({ readonly do: 'Remove'; readonly message: string } & StageRemoval)
  /** Let the object go, which has nothing left to take away. */
  | { readonly do: 'Release'; readonly message: string }
  /** Look again, at the stage that it is at now. */
  | { readonly do: 'Look'; readonly message: string }
  | StagedWait
  | { readonly do: 'Close'; readonly message: string };

/** What a BindingPolicy is to be. */
export interface StageChange {
  readonly stage: string;
  /** The clusters that it is to reach; undefined: all that the stage selects. */
  readonly clusters?: readonly string[];
  /** The uid of the one that was found; undefined when there was none. */
  readonly found?: string;
}

/** A BindingPolicy that is to go. */
export interface StageRemoval {
  readonly name: string;
  readonly uid: string;
  /** The generation of the StagedBindingPolicy by which it is to; undefined: whatever that says by now. */
  readonly generation?: number;
}

/** What a BindingPolicy is to be by a spec, which may be another one when that is written. */
export interface StageWrite extends StageChange {
  /** The generation of the StagedBindingPolicy by which it was decided. */
  readonly generation: number;
}

/** Nothing is done until something changes, or until a time in milliseconds since the epoch. */
export interface StagedWait {
  readonly do: 'Wait';
  readonly phase: NonNullable<StagedBindingPolicyStatus['phase']>;
  /** Why, in one CamelCase word. */
  readonly reason: string;
  readonly message: string;
  readonly until?: number | undefined;
  /** Whether something is not as it should be. */
  readonly isTrouble?: boolean;
}

/** What a turn comes to. */
export interface StagedTurn {
  readonly state: StagedState;
  readonly decision: StagedDecision;
}
