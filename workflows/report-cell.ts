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

/** What of the state a report changes. */
export type Written = Pick<RolloutState, 'reported' | 'events' | 'eventCount'>;

/** Shows where the rollout stands: in the Cell's status when it has changed, in the Web UI, and in the search attributes. */
export async function report(
  observed: ObservedCell,
  state: RolloutState,
  decision: Decision,
): Promise<Written> {
  const unchanged = { ...pick(state) };
  const { cell, key } = observed;
  if (cell === undefined) return unchanged;
  // Taking traffic back waits for nothing; it is reported once it is done.
  if (decision.do === 'Shift' && decision.urgent) return unchanged;
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
  const next = reported(state, status);
  setCurrentDetails(detailsOf(next));
  if (state.events.length === 0 && sameStatus(before, status)) return { ...unchanged, reported: status };
  announce(before, status, state.reported === undefined);
  await objects(`Report: ${status.phase ?? ''}`).reportCell({
    key,
    uid: cell.uid,
    status,
    events: named(state, runId),
  });
  return pick(next);
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

const pick = ({ reported: status, events, eventCount }: RolloutState): Written => ({
  ...(status === undefined ? {} : { reported: status }),
  events,
  eventCount,
});

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
