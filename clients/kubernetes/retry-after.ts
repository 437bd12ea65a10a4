import { sleep, type Sleep } from '../backoff.ts';
import { KubernetesError } from './kubernetes-error.ts';
import type { Send } from './kubernetes-transport.ts';

/** How long to wait in all, and by what clock. */
export interface RetryAfterOptions {
  /** What an API server asks for beyond this is not waited for. */
  readonly longestMs: number;
  readonly sleep?: Sleep;
}

/**
 * Makes a sender that comes back when an API server asks for that by 429 and `Retry-After`, as it does while it starts,
 * or has too much to do. It has done nothing yet then, so that a write may be sent again as well.
 */
export function heedRetryAfter(send: Send, { longestMs, sleep: wait = sleep }: RetryAfterOptions): Send {
  return async (request) => {
    for (let leftMs = longestMs; ;) {
      try {
        return await send(request);
      } catch (error) {
        const waitMs = askedFor(error);
        if (waitMs === undefined || waitMs > leftMs) throw error;
        leftMs -= waitMs;
        await wait(waitMs, request.signal);
        if (request.signal.aborted) throw isLate(request.signal) ? error : request.signal.reason;
      }
    }
  };
}

const isLate = ({ reason }: AbortSignal): boolean =>
  reason instanceof DOMException && reason.name === 'TimeoutError';

// One that asks for no time at all would be asked without a pause.
const SHORTEST_MS = 100;

const askedFor = (error: unknown): number | undefined =>
  error instanceof KubernetesError && error.status === 429 && error.retryAfterSeconds !== undefined
    ? Math.max(SHORTEST_MS, error.retryAfterSeconds * 1000)
    : undefined;
