import type { WorkflowHandle } from '@temporalio/client';
import { optionalTsToMs } from '@temporalio/common/lib/time.js';
import { unrepeated } from '../../support/unrepeated.ts';

/** What a run has done. */
export interface PlayedHistory {
  readonly runId: string;
  readonly history: Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
}

/** A play that is over, as far as its histories are concerned. */
interface Played {
  readonly run: { readonly workflowId: string };
  histories(): Promise<readonly PlayedHistory[]>;
}

type HistoryEvent = NonNullable<PlayedHistory['history']['events']>[number];

/** An event of a history in a few words: what kind, and of which activity or signal. */
export function eventText(event: HistoryEvent): string {
  const { eventId, activityTaskScheduledEventAttributes: activity } = event;
  const kind = Object.keys(event).find((key) => key.endsWith('EventAttributes')) ?? '';
  const name = activity?.activityType?.name ?? event.workflowExecutionSignaledEventAttributes?.signalName;
  return `${String(eventId)} ${kind.replace('EventAttributes', '')} ${name ?? ''}`;
}

const isRequest = (event: HistoryEvent): boolean =>
  [
    event.workflowExecutionUpdateAcceptedEventAttributes,
    event.workflowExecutionSignaledEventAttributes,
    event.workflowExecutionCancelRequestedEventAttributes,
  ].some((attributes) => (attributes ?? undefined) !== undefined);

/** Whether a workflow had asked for an activity before it heard of the first that it was asked from a time on, in milliseconds since 1970. */
export function wasAskedBefore(
  runs: readonly PlayedHistory[],
  { runId, activityId }: { readonly runId: string; readonly activityId: string },
  since: number,
): boolean {
  const events = runs.find((one) => one.runId === runId)?.history.events ?? [];
  const scheduled = events.findIndex(
    (event) => event.activityTaskScheduledEventAttributes?.activityId === activityId,
  );
  const heard = events.findIndex((event) => isRequest(event) && millisecondsOf(event) >= since);
  return scheduled !== -1 && heard !== -1 && scheduled < heard;
}

const millisecondsOf = ({ eventTime }: HistoryEvent): number => optionalTsToMs(eventTime) ?? 0;

// temporal.api.enums.v1.WorkflowTaskFailedCause: a signal has come while the run was closing, which is no failure.
const UNHANDLED_COMMAND = 1;

/** Says which workflow tasks of these plays have failed in the worker, and why. */
export async function failedTasks(plays: readonly Played[]): Promise<readonly string[]> {
  const failed: string[] = [];
  for (const play of plays) {
    const runs = await play.histories();
    const events = runs.flatMap(({ history }) => history.events ?? []);
    for (const { eventId, workflowTaskFailedEventAttributes: task } of events) {
      const isOurs = task?.cause !== UNHANDLED_COMMAND && task?.failure !== null;
      if (task?.failure !== undefined && isOurs)
        failed.push(`${play.run.workflowId} event ${String(eventId)}: ${task.failure?.message}`);
    }
  }
  return failed;
}

/** Says which histories of these plays the workflows would not repeat. */
export function replayFailures(codePath: string, plays: readonly Played[]): Promise<readonly string[]> {
  async function* histories() {
    for (const play of plays) {
      for (const { history } of await play.histories()) yield { workflowId: play.run.workflowId, history };
    }
  }
  return unrepeated(codePath, histories());
}
