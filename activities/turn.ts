import { Context } from '@temporalio/activity';
import type { Turn } from './cluster-reader.ts';

/** The turn that an activity of a sync is. */
export function turnOf(number: number): Turn {
  const { workflowId, runId } = Context.current().info.workflowExecution ?? { workflowId: '', runId: '' };
  return { run: `${workflowId} ${runId}`, number };
}
