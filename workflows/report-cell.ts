import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { CellStatus } from '../crds/cell.ts';
import type { Decision } from '../domain/decision.ts';
import type { ObservedCell } from '../domain/observation.ts';
import { reported } from '../domain/record.ts';
import { isWorthReporting, sameStatus } from '../domain/report.ts';
import type { RolloutState } from '../domain/state.ts';
import { statusOf } from '../domain/status.ts';
import { detailsOf } from '../domain/view.ts';
import { objects } from './activities.ts';
import { OKRA_PHASE, OKRA_VERSION } from './search-attributes.ts';

/** What a report changes in the state, which may have changed otherwise while it was written. */
export type Written = (state: RolloutState) => RolloutState;

/** Shows where the rollout stands: in the Cell's status when it has changed, in the Web UI, and in the search attributes. */
export async function report(
  observed: ObservedCell,
  state: RolloutState,
  decision: Decision,
): Promise<Written> {
  const { cell, key } = observed;
  if (cell === undefined || !isWorthReporting(decision)) return (now) => now;
  const { workflowId, runId } = workflowInfo();
  const status = statusOf({
    observed,
    cell,
    state,
    decision,
    workflow: { workflowId, runId },
    now: Date.now(),
  });
  const before = state.reported ?? cell.status;
  setCurrentDetails(detailsOf({ ...state, reported: status }));
  if (state.events.length > 0 || !sameStatus(before, status)) {
    announce(before, status, state.reported === undefined);
    const events = named(state, runId);
    await objects(`Report: ${status.phase ?? ''}`).reportCell({ key, uid: cell.uid, status, events });
  }
  return (now) => reported(now, status);
}

function announce(before: CellStatus, status: CellStatus, first: boolean): void {
  if (first || before.phase !== status.phase || before.desiredVersion !== status.desiredVersion) {
    upsertSearchAttributes([
      { key: OKRA_PHASE, value: status.phase ?? null },
      { key: OKRA_VERSION, value: status.desiredVersion ?? null },
    ]);
  }
}

const named = (state: RolloutState, runId: string): RolloutState['events'] =>
  state.events.map((event) => ({ ...event, id: `${runId.slice(0, 8)}-${event.id}` }));
