import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { CellStatus } from '../crds/cell.ts';
import type { Decision } from '../domain/decision.ts';
import type { ObservedCell } from '../domain/observation.ts';
import { reported } from '../domain/record.ts';
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
  // Taking traffic back waits for nothing; it is reported once it is done.
  if (cell === undefined || (decision.do === 'Shift' && decision.urgent)) return (now) => now;
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

function sameStatus(a: CellStatus, b: CellStatus): boolean {
  return (
    JSON.stringify(sorted({ ...a, lastSyncTime: undefined })) ===
    JSON.stringify(sorted({ ...b, lastSyncTime: undefined }))
  );
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, child]) => [key, sorted(child)]),
  );
}
