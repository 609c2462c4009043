export interface RateLimitConfig {
  /** Requests a second that a credential may make for ever. */
  readonly perSecond: number;
  /** Requests it may make at once after a rest. */
  readonly burst: number;
}

export interface Allowance {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Seconds until the bucket is full again, or until the next request is allowed. */
  readonly resetSeconds: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

const MAX_BUCKETS = 50_000;

/** A token bucket for each credential, in the memory of this process. */
export function createRateLimiter(config: RateLimitConfig): (key: string, nowMs: number) => Allowance {
  const buckets = new Map<string, Bucket>();
  return (key, nowMs) => {
    let bucket = buckets.get(key);
    if (!bucket) {
      // The oldest bucket goes first; forgetting one only ever grants a fresh burst.
      const oldest = buckets.size >= MAX_BUCKETS ? buckets.keys().next().value : undefined;
      if (oldest !== undefined) buckets.delete(oldest);
      bucket = { tokens: config.burst, at: nowMs };
      buckets.set(key, bucket);
    }
    const refilled = bucket.tokens + (Math.max(0, nowMs - bucket.at) / 1000) * config.perSecond;
    bucket.tokens = Math.min(config.burst, refilled);
    bucket.at = nowMs;
    if (bucket.tokens < 1) {
      return { allowed: false, remaining: 0, resetSeconds: Math.ceil((1 - bucket.tokens) / config.perSecond) };
    }
    bucket.tokens -= 1;
    return {
      allowed: true,
      remaining: Math.floor(bucket.tokens),
      resetSeconds: Math.ceil((config.burst - bucket.tokens) / config.perSecond),
    };
  };
}
