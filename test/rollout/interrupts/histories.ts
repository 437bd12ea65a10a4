import type { WorkflowHandle } from '@temporalio/client';
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
