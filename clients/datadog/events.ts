import type { OutsideEvent } from '../../domain/rollout/report/outside-events.ts';
import { sleep } from '../backoff.ts';
import { boundedRequest } from '../bounded-request.ts';
import type { Log } from '../log.ts';
import { ProviderError } from '../provider-error.ts';
import { errorOf } from './transport.ts';

/** Takes events, and returns at once. */
export type TellEvent = (id: string, event: OutsideEvent) => void;

/** Where events go. */
export interface EventOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly log: Pick<Log, 'warn'>;
  readonly signal: AbortSignal;
  /** How long Datadog may ask to wait; what lasts longer costs the event. */
  readonly longestWaitMs?: number;
}

/** As many as wait; beyond that the oldest are dropped, as nobody may wait for Datadog. */
const MOST_WAITING = 500;
/** As many as are remembered, so that a report which is repeated tells nothing twice. */
const MOST_KNOWN = 2_000;

const LIMITS = { answerBytes: 64_000, milliseconds: 5_000 } as const;

/** Makes what posts events to Datadog one by one, in the background. What it does not take is logged and dropped. */
export function datadogEvents({ url, apiKey, log, signal, longestWaitMs = 60_000 }: EventOptions): TellEvent {
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
    log.warn({ event: event.title, cause }, 'event not told to Datadog');
  };

  async function send(event: OutsideEvent): Promise<void> {
    const answer = await boundedRequest({
      provider: 'Datadog',
      url: `${url}/api/v1/events`,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'dd-api-key': apiKey, 'user-agent': 'okra' },
      body: JSON.stringify(event),
      signal,
      limits: LIMITS,
    });
    if (answer.status < 200 || answer.status > 299) throw errorOf(answer);
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
