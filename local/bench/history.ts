import type { Client } from '@temporalio/client';

/** An event of a history, as far as it tells where time went. */
export interface ToldEvent {
  readonly type: string;
  /** Seconds after the moment. */
  readonly at: number;
  readonly of?: string;
  readonly attempt?: number;
  readonly failure?: string;
}

/** Tells the events of a workflow from a little before a moment on, given in milliseconds since 1970. */
export async function eventsAfter(client: Client, workflowId: string, moment: number): Promise<ToldEvent[]> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  return (events ?? []).map((event) => toldOf(event, moment)).filter(({ at }) => at > -1);
}

type HistoryEvent = NonNullable<
  Awaited<ReturnType<ReturnType<Client['workflow']['getHandle']>['fetchHistory']>>['events']
>[number];

function toldOf(event: HistoryEvent, moment: number): ToldEvent {
  const { activityTaskScheduledEventAttributes: scheduled, activityTaskStartedEventAttributes: started } =
    event;
  const { seconds, nanos } = event.eventTime ?? {};
  const of = scheduled?.activityType?.name;
  const failure = failureIn(event);
  const [type = ''] =
    Object.entries(event).find(([key, value]) => key.endsWith('Attributes') && value !== null) ?? [];
  return {
    type: type.replace('EventAttributes', ''),
    at: (Number(seconds ?? 0) * 1000 + (nanos ?? 0) / 1e6 - moment) / 1000,
    ...(typeof of === 'string' ? { of } : {}),
    ...(typeof started?.attempt === 'number' ? { attempt: started.attempt } : {}),
    ...(typeof failure === 'string' ? { failure } : {}),
  };
}

function failureIn(event: HistoryEvent): string | null | undefined {
  const failure =
    event.activityTaskFailedEventAttributes?.failure ??
    event.activityTaskTimedOutEventAttributes?.failure ??
    event.activityTaskStartedEventAttributes?.lastFailure;
  return failure?.cause?.message ?? failure?.message;
}
