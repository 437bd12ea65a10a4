import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { hasCode, statusCodes } from './grpc-status.ts';

/** What a Temporal knows of a workflow: one of some runs, others alone, or none. */
export type KnownRuns = 'These' | 'Others' | 'None';

/** Finds out whether Temporal knows one of the runs of a workflow, or else any. */
export async function knownRuns(
  { workflow }: Pick<Client, 'workflow'>,
  workflowId: string,
  runIds: readonly string[],
): Promise<KnownRuns> {
  const isKnown = async (runId?: string): Promise<boolean> => {
    try {
      await workflow.getHandle(workflowId, runId).describe();
      return true;
    } catch (error) {
      // Whoever may write statuses may have written anything for the id of a run.
      const isNoId = hasCode(error, statusCodes.INVALID_ARGUMENT);
      if (error instanceof WorkflowNotFoundError || isNoId) return false;
      throw error;
    }
  };
  const known = await Promise.all(runIds.map(isKnown));
  if (known.includes(true)) return 'These';
  return (await isKnown()) ? 'Others' : 'None';
}
