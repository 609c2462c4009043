import ipaddr from 'ipaddr.js';

/** Over all API servers. */
export interface RateLimitConfig {
  /** Requests a second that a credential may make for ever. */
  readonly perSecond: number;
  /** Requests it may make at once after a rest. */
  readonly burst: number;
}

export interface Allowance {
  readonly allowed: boolean;
  /** What the bucket holds when it is full. */
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the bucket is full again, or until the next request is allowed. */
  readonly resetSeconds: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** A request that costs as much as several counts as so many. */
type Limiter = (key: string, nowMs: number, requests?: number) => Allowance;

/**
 * A token bucket for each caller, in the memory of this process, which grants its share of the limit. A bucket that
 * nobody has used for as long as it takes to fill is full, and so is a new one: those are forgotten, and nobody gains by
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
    // The largest is allowed as well, after a rest.
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

/** Times the limit of a key: whoever makes more keys, or more accounts, has this much in all. */
const ACTOR_SHARE = 2;
const ORG_SHARE = 4;

export interface RateLimits {
  /** For whoever has no credential, or has not shown it yet. */
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
      // What a key may not do is not charged to others.
      if (!ofKey.allowed) return ofKey;
      const ofActor = byActor(actor, nowMs, requests);
      if (!ofActor.allowed) return ofActor;
      const ofOrg = byOrg(org, nowMs, requests);
      return ofOrg.allowed ? ofKey : ofOrg;
    },
  };
}

/** So many bytes that are parsed, or sent to strangers, cost about as much as a small request. */
const BYTES_PER_REQUEST = 8 * 1024;

/** As how many requests one counts that has so many bytes. */
export function requestsOf(bytes: number): number {
  return 1 + Math.floor(bytes / BYTES_PER_REQUEST);
}

/** What one household or one machine has: an IPv4 address, or a whole /64 of IPv6, in which anybody can pick addresses. */
export function networkOf(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const ip = ipaddr.process(address);
  return ip instanceof ipaddr.IPv6
    ? ip.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(':')
    : ip.toString();
}
