import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { CellStatus } from '../crds/cell.ts';
import type { Decision } from '../domain/model/decision.ts';
import type { ObservedCell } from '../domain/model/observation.ts';
import { reported } from '../domain/rollout/record.ts';
import { reportRefused } from '../domain/rollout/record-backoff.ts';
import { isWorthReporting, sameStatus } from '../domain/rollout/report.ts';
import type { RolloutState } from '../domain/model/state.ts';
import { statusOf } from '../domain/rollout/status.ts';
import { rolloutDetailsOf } from '../domain/model/view.ts';
import { objects } from './activities.ts';
import { failureOf } from './failure.ts';
import { interruptible } from './interruptible.ts';
import { OKRA_PHASE, OKRA_VERSION } from './search-attributes.ts';

/** What a report changes in the state, which may have changed otherwise while it was written. */
export type Written = (state: RolloutState) => RolloutState;

/** What is reported, and what does not wait for it. */
export interface Report {
  readonly observed: ObservedCell | undefined;
  readonly state: RolloutState;
  readonly decision: Decision;
  readonly isInterrupted: () => boolean;
}

/** Shows where the rollout stands: in the Cell's status when it has changed, in the Web UI, and in the search attributes. */
export async function report({ observed, state, decision, isInterrupted }: Report): Promise<Written> {
  if (observed?.cell === undefined || !isWorthReporting(decision)) return unchanged;
  const { cell, key } = observed;
  const { workflowId, runId } = workflowInfo();
  const workflow = { workflowId, runId };
  const status = statusOf({ observed, cell, state, decision, workflow, now: Date.now() });
  const before = state.reported ?? cell.status;
  setCurrentDetails(rolloutDetailsOf({ ...state, reported: status }));
  const done: Written = (now) => reported(now, state, status);
  if (state.events.length === 0 && sameStatus(before, status)) return done;
  // What was refused is tried again after a while, and not with every turn.
  if (state.unreported !== undefined && Date.now() < state.unreported.until) return unchanged;
  announce(before, status, state.reported === undefined);
  const write = () =>
    objects(`Report: ${status.phase ?? ''}`).reportCell({
      key,
      uid: cell.uid,
      status,
      events: named(state, runId),
    });
  try {
    const answer = await interruptible(write, { happened: isInterrupted });
    return answer.is === 'Answered' ? done : unchanged;
  } catch (error) {
    const failure = failureOf(error);
    return (now) => reportRefused(now, failure, Date.now());
  }
}

const unchanged: Written = (state) => state;

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
