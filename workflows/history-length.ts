import type { WorkflowInfo } from '@temporalio/workflow';

/** How many events a run may have before another takes over, so that it stays quick to replay and people can read it. */
const LONGEST_HISTORY = 1_000;

/** Whether a run should go on as a new one. */
export const isLong = ({
  historyLength,
  continueAsNewSuggested,
}: Pick<WorkflowInfo, 'historyLength' | 'continueAsNewSuggested'>): boolean =>
  continueAsNewSuggested || historyLength > LONGEST_HISTORY;
