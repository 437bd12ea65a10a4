/** Spends writes against a quota, so that Okra stays below the rate at which AWS throttles. */
export interface WriteBudget {
  /** Waits until one more write may be sent; urgent ones pass the others. Rejects with the reason of the signal. */
  take(quota: string, urgent: boolean, signal: AbortSignal): Promise<void>;
}

/** How fast writes may be sent. */
export interface WriteRate {
  readonly perSecond: number;
  /** How many may be sent at once after a rest. */
  readonly burst: number;
}

interface Waiting {
  readonly urgent: boolean;
  readonly go: () => void;
}

interface Bucket {
  tokens: number;
  filledAt: number;
  timer: NodeJS.Timeout | undefined;
  queue: Waiting[];
}

/** Makes a budget of one token bucket per quota, that is, per account and region. */
export function writeBudget(rate: WriteRate, clock: () => number = () => performance.now()): WriteBudget {
  const buckets = new Map<string, Bucket>();

  function bucketOf(quota: string): Bucket {
    const known = buckets.get(quota) ?? {
      tokens: rate.burst,
      filledAt: clock(),
      timer: undefined,
      queue: [],
    };
    buckets.set(quota, known);
    return known;
  }

  function serve(bucket: Bucket): void {
    const now = clock();
    bucket.tokens = Math.min(rate.burst, bucket.tokens + ((now - bucket.filledAt) / 1000) * rate.perSecond);
    bucket.filledAt = now;
    bucket.timer = undefined;
    while (bucket.tokens >= 1 && bucket.queue.length > 0) {
      const index = Math.max(
        0,
        bucket.queue.findIndex((one) => one.urgent),
      );
      const [next] = bucket.queue.splice(index, 1);
      bucket.tokens -= 1;
      next?.go();
    }
    if (bucket.queue.length > 0) {
      const waitMs = Math.max(1, ((1 - bucket.tokens) / rate.perSecond) * 1000);
      bucket.timer = setTimeout(() => serve(bucket), waitMs);
    }
  }

  return {
    take: (quota, urgent, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const bucket = bucketOf(quota);
        const waiting: Waiting = {
          urgent,
          go: () => {
            signal.removeEventListener('abort', leave);
            resolve();
          },
        };
        const leave = (): void => {
          bucket.queue = bucket.queue.filter((one) => one !== waiting);
          reject(signal.reason);
        };
        signal.addEventListener('abort', leave, { once: true });
        bucket.queue.push(waiting);
        clearTimeout(bucket.timer);
        serve(bucket);
      }),
  };
}
