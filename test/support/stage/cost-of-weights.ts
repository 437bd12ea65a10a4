/** An event of a history, as the Temporal CLI prints it, as far as its cost goes. */
export interface HistoryEvent {
  readonly eventId: string;
  readonly eventType: string;
  readonly activityTaskScheduledEventAttributes?: {
    readonly activityType: { readonly name: string };
    readonly input?: Payloads;
  };
  readonly activityTaskCompletedEventAttributes?: {
    readonly scheduledEventId: string;
    readonly result?: Payloads;
  };
}

interface Payloads {
  readonly payloads?: readonly { readonly data?: string }[];
}

/** What each write of weights has taken of a history: the events until the workflow has taken it up, and the bytes of what it was asked and has answered. */
export function costOfWeights(
  history: readonly HistoryEvent[],
): readonly { readonly events: number; readonly bytes: number }[] {
  return history.flatMap((event, begin) => {
    const asked = event.activityTaskScheduledEventAttributes;
    if (asked?.activityType.name !== 'shiftTraffic') return [];
    const end = history.findIndex(
      ({ activityTaskCompletedEventAttributes: done }) => done?.scheduledEventId === event.eventId,
    );
    const answered = history[end]?.activityTaskCompletedEventAttributes;
    if (answered === undefined) return [];
    const taken = history
      .slice(end)
      .findIndex(({ eventType }) => eventType === 'EVENT_TYPE_WORKFLOW_TASK_COMPLETED');
    return [{ events: end - begin + taken + 1, bytes: bytesOf(asked.input) + bytesOf(answered.result) }];
  });
}

const bytesOf = ({ payloads = [] }: Payloads = {}): number =>
  payloads.reduce((sum, { data = '' }) => sum + Buffer.from(data, 'base64').length, 0);
