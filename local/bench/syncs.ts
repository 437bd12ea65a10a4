import type { Client } from '@temporalio/client';
import { objectWorkflowId } from '../../domain/model/workflow-ids.ts';
import { SET } from './objects.ts';

/** Reads when the AWSTargetGroupSet was synced after a moment, in milliseconds since 1970; the history of its workflow tells. */
export async function syncsSince(temporal: Client, since: number): Promise<readonly number[]> {
  const handle = temporal.workflow.getHandle(objectWorkflowId('AWSTargetGroupSet', SET));
  const { events } = await handle.fetchHistory();
  return (events ?? [])
    .filter((event) => event.activityTaskCompletedEventAttributes !== undefined)
    .flatMap((event) =>
      event.activityTaskCompletedEventAttributes === null ? [] : [millisecondsOf(event.eventTime)],
    )
    .filter((time) => time >= since);
}

type Timestamp = { readonly seconds?: unknown; readonly nanos?: number | null } | null | undefined;

const millisecondsOf = (time: Timestamp): number =>
  Number(time?.seconds ?? 0) * 1000 + (time?.nanos ?? 0) / 1e6;
