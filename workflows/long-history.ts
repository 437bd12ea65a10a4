import { workflowInfo } from '@temporalio/workflow';

/** How many events a run may have before another takes over, so that it is replayed soon and can be read. */
const LONGEST_HISTORY = 1_000;

/** Whether a run has had enough events. A condition may ask, so that a run goes on as a new one also while it waits. */
export function hasLongHistory(): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return continueAsNewSuggested || historyLength > LONGEST_HISTORY;
}

/** Temporal ends a run with 51,200 events; each signal makes four, or fewer where many come at once. */
const FULL_HISTORY = 20_000;

/** Temporal takes no signal of a run after the 10,000th. */
const MOST_SIGNALS = 8_000;

/** Whether a run that has had so many signals does not wait any longer for what is under way before another takes over. A condition may ask. */
export const hasFullHistory = (signals: number): boolean =>
  signals > MOST_SIGNALS || workflowInfo().historyLength > FULL_HISTORY;
