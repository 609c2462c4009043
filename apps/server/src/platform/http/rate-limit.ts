import ipaddr from 'ipaddr.js';

/** Over all API servers. */
export interface RateLimitConfig {
  /** Requests per second that a credential may sustain. */
  readonly perSecond: number;
  /** Burst after a rest. */
  readonly burst: number;
}

export interface Allowance {
  readonly allowed: boolean;
  /** Capacity of the bucket. */
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the bucket is full again, or until the next request is allowed. */
  readonly resetSeconds: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** An expensive request counts as several. */
type Limiter = (key: string, nowMs: number, requests?: number) => Allowance;

/**
 * A token bucket per caller, in the memory of this process, which grants its share of the limit. A bucket that was
 * unused for as long as it takes to fill is full, like a new one: such buckets are dropped without anyone gaining by
 * it, however many callers there are.
 */
export function createRateLimiter(config: RateLimitConfig, servers: () => number = () => 1): Limiter {
  let newer = new Map<string, Bucket>();
  let older = new Map<string, Bucket>();
  let turnedAt = Number.NEGATIVE_INFINITY;

  function bucketOf(key: string, nowMs: number, burst: number, fillMs: number): Bucket {
    if (nowMs - turnedAt >= fillMs) {
      older = newer;
      newer = new Map();
      turnedAt = nowMs;
    }
    const known = newer.get(key);
    if (known) return known;
    const bucket = older.get(key) ?? { tokens: burst, at: nowMs };
    newer.set(key, bucket);
    return bucket;
  }

  return (key, nowMs, requests = 1) => {
    const count = servers();
    const burst = Math.max(1, config.burst / count);
    const perSecond = config.perSecond / count;
    const bucket = bucketOf(key, nowMs, burst, (burst / perSecond) * 1000);
    const refilled = bucket.tokens + (Math.max(0, nowMs - bucket.at) / 1000) * perSecond;
    bucket.tokens = Math.min(burst, refilled);
    bucket.at = nowMs;
    const limit = Math.floor(burst);
    // Even the largest request is allowed after a rest.
    const cost = Math.min(requests, limit);
    if (bucket.tokens < cost) {
      return { allowed: false, limit, remaining: 0, resetSeconds: Math.ceil((cost - bucket.tokens) / perSecond) };
    }
    bucket.tokens -= cost;
    return {
      allowed: true,
      limit,
      remaining: Math.floor(bucket.tokens),
      resetSeconds: Math.ceil((burst - bucket.tokens) / perSecond),
    };
  };
}

/** Multiple of a key's limit that bounds a person with many keys or accounts. */
const ACTOR_SHARE = 2;
const ORG_SHARE = 4;

export interface RateLimits {
  /** For requests without a credential, or before it is read. */
  readonly byKey: Limiter;
  byCaller(caller: { credential: string; actor: string; org: string }, nowMs: number, requests?: number): Allowance;
}

export function createRateLimits(config: RateLimitConfig, servers: () => number): RateLimits {
  const times = (share: number) => ({ perSecond: config.perSecond * share, burst: config.burst * share });
  const byKey = createRateLimiter(config, servers);
  const byActor = createRateLimiter(times(ACTOR_SHARE), servers);
  const byOrg = createRateLimiter(times(ORG_SHARE), servers);
  return {
    byKey,
    byCaller({ credential, actor, org }, nowMs, requests) {
      const ofKey = byKey(credential, nowMs, requests);
      // Requests that exceed a key's limit are not charged to the org.
      if (!ofKey.allowed) return ofKey;
      const ofActor = byActor(actor, nowMs, requests);
      if (!ofActor.allowed) return ofActor;
      const ofOrg = byOrg(org, nowMs, requests);
      return ofOrg.allowed ? ofKey : ofOrg;
    },
  };
}

/** This many bytes, parsed or sent to anonymous clients, cost about as much as a small request. */
export const BYTES_PER_REQUEST = 8 * 1024;

/** How many requests a request of this size counts as. */
export function requestsOf(bytes: number): number {
  return 1 + Math.floor(bytes / BYTES_PER_REQUEST);
}

/** What one household or machine has: an IPv4 address, or a whole IPv6 /64, in which anyone can pick addresses. */
export function networkOf(address: string | undefined): string {
  // A request may wait for its turn, and a connection that was closed meanwhile has no address.
  if (address === undefined) return '';
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const ip = ipaddr.process(address);
  return ip instanceof ipaddr.IPv6
    ? ip.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(':')
    : ip.toString();
}
