import type { PresentCell } from '../versions/candidate.ts';
import { type Decision, isPause } from './decision.ts';
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
  readonly workflow: { readonly workflowId: string; readonly runId: string };
  readonly now: number;
}

/** What keeps the Cell from what it does; that something which moves no traffic was refused does not, nor what was refused before a pause. */
export const visibleBackoff = ({
  state: { backoff: hold },
  decision,
}: Pick<StatusInput, 'state' | 'decision'>): RolloutState['backoff'] =>
  hold?.quiet === true || isPause(decision) ? undefined : hold;
