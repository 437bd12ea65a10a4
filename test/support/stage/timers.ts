/** An event of a history, as far as it is about a timer. */
export interface TimerEvent {
  readonly eventTime: string;
  readonly userMetadata?: { readonly summary?: { readonly data: string } };
  readonly timerStartedEventAttributes?: {
    readonly timerId: string;
    readonly startToFireTimeout: string;
  };
  readonly timerFiredEventAttributes?: { readonly timerId: string };
}

/** A timer of a workflow. */
export interface Timer {
  readonly summary: string;
  readonly seconds: number;
  readonly took?: number;
}

/** The timers of a history: what for, how long they were to last, and how long they took when they fired. */
export function timersOf(events: readonly TimerEvent[]): readonly Timer[] {
  return events.flatMap((event) => {
    const started = event.timerStartedEventAttributes;
    if (started === undefined) return [];
    const seconds = Number.parseFloat(started.startToFireTimeout);
    const summary = String(JSON.parse(inText(event.userMetadata?.summary?.data ?? 'IiI=')));
    const fired = events.find((one) => one.timerFiredEventAttributes?.timerId === started.timerId);
    if (fired === undefined) return [{ summary, seconds }];
    return [{ summary, seconds, took: (Date.parse(fired.eventTime) - Date.parse(event.eventTime)) / 1000 }];
  });
}

const inText = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8');
