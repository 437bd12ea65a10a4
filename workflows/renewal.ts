import { condition, makeContinueAsNewFunc, workflowInfo, type Workflow } from '@temporalio/workflow';

/** How many events a run may have before another takes over, so that it is replayed soon and can be read. */
const LONGEST_HISTORY = 1_000;

/** Whether a run has had enough events. A condition may ask, so that a run continues as a new one also while it waits. */
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

/** Whether another version of the worker is to do this workflow from the next run on. */
export const isSuperseded = (): boolean => workflowInfo().targetWorkerDeploymentVersionChanged;

/** Whether the next run is to take over, with nothing under way. A condition may ask. */
export const isDue = (): boolean => hasLongHistory() || isSuperseded();

/** Continues as a new run, on the version of the worker that is current by now. */
export function goOn<Type extends Workflow>(...args: Parameters<Type>): Promise<never> {
  return makeContinueAsNewFunc<Type>(isSuperseded() ? { initialVersioningBehavior: 'AUTO_UPGRADE' } : {})(
    ...args,
  );
}

/** How long a run sleeps at most where workers have versions: one that sleeps does not learn of another. */
const LONGEST_SLEEP_MS = 10 * 60_000;

// Without a deployment there is a version all the same, of the code, and no name.
const hasVersion = (): boolean => (workflowInfo().currentDeploymentVersion?.deploymentName ?? '') !== '';

/** Waits until something has happened or the next run is due; undefined: however long that takes. */
export async function waitUntil(
  happened: () => boolean,
  milliseconds: number | undefined,
  summary: string,
): Promise<boolean> {
  if (!hasVersion()) {
    if (milliseconds !== undefined) return condition(happened, milliseconds, { summary });
    await condition(happened);
    return true;
  }
  const over = (): boolean => happened() || isSuperseded();
  for (let left = milliseconds ?? Infinity; left > 0; left -= LONGEST_SLEEP_MS) {
    if (await condition(over, Math.min(left, LONGEST_SLEEP_MS), { summary })) return true;
  }
  return false;
}
