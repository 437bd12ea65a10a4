/** How much a token bucket holds and how fast it fills. */
export interface BucketLimits {
  readonly burst: number;
  readonly perSecond: number;
}

/** What a token bucket holds at a time. */
export interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

/** Takes one token: AWS removes one per request and refills at a set rate up to the burst. */
export function take(
  bucket: Bucket | undefined,
  limits: BucketLimits,
  now: number,
): { readonly bucket: Bucket; readonly allowed: boolean } {
  const held = bucket ?? { tokens: limits.burst, at: now };
  const refilled = held.tokens + ((now - held.at) / 1000) * limits.perSecond;
  const tokens = Math.min(limits.burst, refilled);
  if (tokens < 1) return { bucket: { tokens, at: now }, allowed: false };
  return { bucket: { tokens: tokens - 1, at: now }, allowed: true };
}

/** Many buckets by name. */
export interface Buckets {
  take(name: string, limits: BucketLimits, now: number): boolean;
  clear(): void;
}

/** Keeps one bucket per name, made full at its first use. */
export function createBuckets(): Buckets {
  const buckets = new Map<string, Bucket>();
  return {
    take: (name, limits, now) => {
      const { bucket, allowed } = take(buckets.get(name), limits, now);
      buckets.set(name, bucket);
      return allowed;
    },
    clear: () => buckets.clear(),
  };
}
