import { EventsApi } from '@datadog/datadog-api-client/dist/packages/datadog-api-client-v1/apis/EventsApi.js';
import type { OutsideEvent } from '../../domain/rollout/report/events.ts';
import type { Log } from '../log.ts';
import { openOutbox, type Letter } from '../outbox.ts';
import { configureDatadog } from './client.ts';

/** Queues an event; returns at once. */
export type TellEvent = (id: string, event: OutsideEvent) => void;

interface EventOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly log: Pick<Log, 'warn'>;
  readonly signal: AbortSignal;
  readonly longestWaitMs?: number;
}

const LIMITS = { answerBytes: 64_000, milliseconds: 5_000 } as const;

/** Posts events to Datadog one by one, in the background; logs and drops those that it does not take. */
export function postDatadogEvents({ url, apiKey, log, signal, ...limits }: EventOptions): TellEvent {
  async function send({ title, text, tags, ...event }: OutsideEvent): Promise<void> {
    const api = new EventsApi(configureDatadog({ url, apiKey }, signal, LIMITS));
    const { alert_type: alertType, aggregation_key: aggregationKey } = event;
    await api.createEvent({ body: { title, text, tags: [...tags], alertType, aggregationKey } });
  }

  const post = openOutbox<Letter & { readonly event: OutsideEvent }>({
    send: ({ event }) => send(event),
    onDropped: ({ title }, error) => {
      const cause = error instanceof Error ? error.message.replaceAll(apiKey, '…') : 'an error';
      log.warn({ event: title, cause }, 'event not sent to Datadog');
    },
    signal,
    ...limits,
  });
  return (id, event) => post({ id, title: event.title, event });
}
