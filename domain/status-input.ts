import type { PresentCell } from './candidate.ts';
import type { Decision } from './decision.ts';
import type { ObservedCell } from './observation.ts';
import type { RolloutState } from './state.ts';

/** The longest message in the status (crds/cell-status.ts). */
export const LONGEST_MESSAGE = 32_768;

/** What a status is derived from. */
export interface StatusInput {
  readonly observed: ObservedCell;
  readonly cell: PresentCell;
  readonly state: RolloutState;
  readonly decision: Decision;
  /** The workflow that does the rollout, for people who look for it. */
  readonly workflow: { readonly workflowId: string; readonly runId: string };
  readonly now: number;
}

/** What keeps the Cell from what it does; that something which moves no traffic was refused does not. */
export const loudHold = ({ hold }: RolloutState): RolloutState['hold'] =>
  hold?.quiet === true ? undefined : hold;

/** A field that is there only when it has a value. */
export function optional<Key extends string, Value>(
  key: Key,
  value: Value | undefined,
): Partial<Record<Key, Value>> {
  return value === undefined ? {} : ({ [key]: value } as Record<Key, Value>);
}
