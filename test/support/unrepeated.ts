import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';

/** What a run of a workflow has done. */
export interface RunHistory {
  readonly workflowId: string;
  readonly history: Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
}

/** Says which histories the bundled workflows would not repeat, and why. */
export async function unrepeated(
  codePath: string,
  histories: AsyncIterable<RunHistory>,
): Promise<readonly string[]> {
  const failed: string[] = [];
  const workflowBundle = { codePath };
  let runs = 0;
  for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories)) {
    runs += 1;
    if (error !== undefined) failed.push(`${workflowId}: ${error.message}`);
  }
  if (runs === 0) throw new Error('Expected histories to replay, got none.');
  return failed;
}
