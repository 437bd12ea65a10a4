import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { hasCode, statusCodes } from './grpc-status.ts';

/** What Temporal knows of a workflow: one of the given runs, only others, or none. */
export type KnownRuns =
  | { readonly is: 'These' | 'None' }
  | {
      readonly is: 'Others';
      /** Whether a run is open. */
      readonly isOpen: boolean;
      /** How long Temporal remembers a closed run, in milliseconds; undefined: it does not say. */
      readonly retentionMs: number | undefined;
    };

/** Finds out whether Temporal knows one of the given runs of a workflow, or at least another. */
export async function knownRuns(
  { workflow, connection, options: { namespace } }: Pick<Client, 'workflow' | 'connection' | 'options'>,
  workflowId: string,
  runIds: readonly string[],
): Promise<KnownRuns> {
  const statusOf = async (runId?: string): Promise<string | undefined> => {
    try {
      return (await workflow.getHandle(workflowId, runId).describe()).status.name;
    } catch (error) {
      // Whoever may write statuses may have written anything for the id of a run.
      const isNoId = hasCode(error, statusCodes.INVALID_ARGUMENT);
      if (error instanceof WorkflowNotFoundError || isNoId) return undefined;
      throw error;
    }
  };
  const known = await Promise.all(runIds.map(statusOf));
  if (known.some((status) => status !== undefined)) return { is: 'These' };
  const latest = await statusOf();
  if (latest === undefined) return { is: 'None' };
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  const seconds = config?.workflowExecutionRetentionTtl?.seconds ?? undefined;
  const retentionMs = seconds === undefined ? undefined : Number(seconds) * 1000;
  return { is: 'Others', isOpen: latest === 'RUNNING', retentionMs };
}
