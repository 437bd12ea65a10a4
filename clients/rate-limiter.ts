import type { ReadStates } from './metrics/metrics.ts';

/** How fast calls may be sent: a token bucket. */
export interface CallRate {
  readonly perSecond: number;
  /** How many may be sent at once after a rest; as many again, when they are urgent. */
  readonly burst: number;
}

interface TokenRequest {
  readonly urgent: boolean;
  readonly signal: AbortSignal;
}

/** Limits the calls of this process to each quota, as that of a region. */
export interface RateLimiter {
  /** Waits for a token of a quota; rejects with the reason of the signal. */
  wait(quota: string, request: TokenRequest): Promise<void>;
  /** Gives no token for a time, because the other side throttles nonetheless. */
  pause(quota: string, milliseconds: number): void;
  waiting(): ReadonlyMap<string, number>;
}

/** The limiters of a worker, by what AWS and Datadog count apart. */
export type RateLimiters = ReturnType<typeof limitRates>;

/** How many urgent calls go before one that has waited longer; the others have to get on as well. */
const MOST_URGENT_IN_A_ROW = 9;
const LONGEST_PAUSE_MS = 10_000;

/** Makes a limiter whose buckets are full at first. */
export function limitRate(rate: CallRate, clock: () => number = Date.now): RateLimiter {
  const buckets = new Map<string, ReturnType<typeof makeBucket>>();
  function bucketOf(quota: string) {
    const bucket = buckets.get(quota) ?? makeBucket(rate, clock);
    buckets.set(quota, bucket);
    return bucket;
  }
  return {
    wait: (quota, request) => bucketOf(quota).wait(request),
    pause: (quota, milliseconds) => bucketOf(quota).pause(Math.min(milliseconds, LONGEST_PAUSE_MS)),
    waiting: () => new Map([...buckets].map(([quota, bucket]) => [quota, bucket.waiting()])),
  };
}

/** Makes a limiter of each kind. */
export const limitRates = (rates: Readonly<Record<'writes' | 'registrations' | 'queries', CallRate>>) => ({
  writes: limitRate(rates.writes),
  registrations: limitRate(rates.registrations),
  queries: limitRate(rates.queries),
});

/** Reads how many calls wait, for the metrics. */
export const waitingCalls =
  (limits: RateLimiters): ReadStates =>
  () =>
    Object.entries(limits).flatMap(([kind, limiter]) =>
      [...limiter.waiting()].map(([quota, value]) => ({
        name: 'okra_rate_limit_waiting' as const,
        labels: { kind, quota },
        value,
      })),
    );

/** Lets every call pass. */
export const unlimited: RateLimiter = {
  wait: () => Promise.resolve(),
  pause: () => undefined,
  waiting: () => new Map(),
};

function makeBucket({ perSecond, burst }: CallRate, clock: () => number) {
  const urgentLine: (() => void)[] = [];
  const usualLine: (() => void)[] = [];
  let [tokens, filledAt, pausedUntil, urgentInARow] = [burst, clock(), 0, 0];
  let timer: NodeJS.Timeout | undefined;

  function refill(): void {
    const now = clock();
    tokens = Math.min(burst, tokens + (Math.max(0, now - filledAt) * perSecond) / 1000);
    filledAt = now;
  }

  function nextLine(): (() => void)[] {
    const isUsual = urgentLine.length === 0 || (usualLine.length > 0 && urgentInARow >= MOST_URGENT_IN_A_ROW);
    return isUsual ? usualLine : urgentLine;
  }

  /** How long the first in line still waits. While something urgent waits, a burst of tokens may be taken in advance. */
  function waitOfNext(): number {
    const lacking = 1 - tokens - (urgentLine.length > 0 ? burst : 0);
    return Math.max((lacking * 1000) / perSecond, pausedUntil - filledAt);
  }

  function serve(): void {
    clearTimeout(timer);
    refill();
    for (let line = nextLine(); line[0] !== undefined; line = nextLine()) {
      const waitMs = waitOfNext();
      if (waitMs > 0) {
        timer = setTimeout(serve, Math.ceil(waitMs));
        return;
      }
      tokens -= 1;
      urgentInARow = line === urgentLine ? urgentInARow + 1 : 0;
      line.shift()?.();
    }
  }

  return {
    wait: ({ urgent, signal }: TokenRequest): Promise<void> =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const line = urgent ? urgentLine : usualLine;
        const grant = (): void => {
          signal.removeEventListener('abort', leave);
          resolve();
        };
        const leave = (): void => {
          line.splice(line.indexOf(grant), 1);
          reject(signal.reason);
          serve();
        };
        signal.addEventListener('abort', leave, { once: true });
        line.push(grant);
        serve();
      }),
    pause: (milliseconds: number): void => void (pausedUntil = Math.max(pausedUntil, clock() + milliseconds)),
    waiting: (): number => urgentLine.length + usualLine.length,
  };
}
