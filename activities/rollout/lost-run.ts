import { isGrpcServiceError, type Client } from '@temporalio/client';
import type { LostRun } from '../../domain/model/state.ts';
import { readTermination } from '../../domain/model/stuck-run.ts';

/** How many runs that continued as new are followed to the one that ended. */
const MOST_RUNS = 20;

/** Finds out whether someone has terminated a run, or one that went on in its place; what Temporal does not know is `Unknown`. */
export async function readLostRun(temporal: Client, workflowId: string, runId: string): Promise<LostRun> {
  let next: string | undefined = runId;
  for (let runs = 0; next !== undefined && next !== '' && runs < MOST_RUNS; runs += 1) {
    const last = await lastEventOf(temporal, workflowId, next);
    const terminated = last?.workflowExecutionTerminatedEventAttributes;
    if (terminated !== null && terminated !== undefined) {
      const { identity, reason } = terminated;
      const stuck = readTermination(reason ?? '');
      if (stuck !== undefined) return { is: 'Stuck', message: stuck };
      return { is: 'Terminated', by: identity ?? '', reason: reason ?? '' };
    }
    next = last?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? undefined;
  }
  return { is: 'Unknown' };
}

async function lastEventOf({ workflowService, options }: Client, workflowId: string, runId: string) {
  try {
    const { history } = await workflowService.getWorkflowExecutionHistoryReverse({
      namespace: options.namespace,
      execution: { workflowId, runId },
      maximumPageSize: 1,
    });
    return history?.events?.[0];
  } catch (error) {
    if (isGrpcServiceError(error) && lost.has(error.code)) return undefined;
    throw error;
  }
}

// google.rpc.Code INVALID_ARGUMENT (no run id at all) and NOT_FOUND
const lost: ReadonlySet<number> = new Set([3, 5]);
