import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { hasCode, statusCodes } from './grpc-status.ts';

/** What Temporal knows of a workflow: one of the given runs, only others, or none. */
export type KnownRuns = 'These' | 'Others' | 'None';

/** Finds out whether Temporal knows one of the given runs of a workflow, or at least another. */
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
      // Whoever may write statuses may have written anything as the id of a run.
      const isNoId = hasCode(error, statusCodes.INVALID_ARGUMENT);
      if (error instanceof WorkflowNotFoundError || isNoId) return false;
      throw error;
    }
  };
  const known = await Promise.all(runIds.map(isKnown));
  if (known.includes(true)) return 'These';
  return (await isKnown()) ? 'Others' : 'None';
}
