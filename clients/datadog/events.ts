import { EventsApi } from '@datadog/datadog-api-client/dist/packages/datadog-api-client-v1/apis/EventsApi.js';
import type { OutsideEvent } from '../../domain/rollout/report/events.ts';
import { sleep } from '../backoff.ts';
import type { Log } from '../log.ts';
import { ProviderError } from '../provider-error.ts';
import { configureDatadog } from './client.ts';

/** Queues an event; returns at once. */
export type TellEvent = (id: string, event: OutsideEvent) => void;

interface EventOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly log: Pick<Log, 'warn'>;
  readonly signal: AbortSignal;
  /** How long an event waits at most when Datadog limits the rate. */
  readonly longestWaitMs?: number;
}

// Beyond that the oldest are dropped.
const MOST_WAITING = 500;
// Ids that are remembered, so that a repeated report sends nothing twice.
const MOST_KNOWN = 2_000;

const LIMITS = { answerBytes: 64_000, milliseconds: 5_000 } as const;

/** Posts events to Datadog one by one, in the background; logs and drops those that it does not take. */
export function postDatadogEvents({
  url,
  apiKey,
  log,
  signal,
  longestWaitMs = 60_000,
}: EventOptions): TellEvent {
  const waiting: OutsideEvent[] = [];
  const known = new Set<string>();
  let isBusy = false;

  async function workOff(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    for (let event = waiting.shift(); event !== undefined && !signal.aborted; event = waiting.shift())
      await post(event);
    isBusy = false;
  }

  async function post(event: OutsideEvent): Promise<void> {
    try {
      await send(event);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ProviderError && error.trouble.is === 'RateLimited') {
        await sleep(Math.min(longestWaitMs, error.trouble.retryAfterMs), signal);
        await send(event).catch((again: unknown) => dropped(event, again));
      } else dropped(event, error);
    }
  }

  const dropped = (event: OutsideEvent, error: unknown): void => {
    if (signal.aborted) return;
    const cause = error instanceof Error ? error.message.replaceAll(apiKey, '…') : 'an error';
    log.warn({ event: event.title, cause }, 'event not sent to Datadog');
  };

  async function send({ title, text, tags, ...event }: OutsideEvent): Promise<void> {
    const api = new EventsApi(configureDatadog({ url, apiKey }, signal, LIMITS));
    const { alert_type: alertType, aggregation_key: aggregationKey } = event;
    await api.createEvent({ body: { title, text, tags: [...tags], alertType, aggregationKey } });
  }

  return (id, event) => {
    if (known.has(id)) return;
    known.add(id);
    if (known.size > MOST_KNOWN) known.delete(known.values().next().value ?? '');
    waiting.push(event);
    if (waiting.length > MOST_WAITING) waiting.shift();
    void workOff();
  };
}
