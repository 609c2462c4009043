import { LRUCache } from 'lru-cache';
import type { Ctx } from '../../../platform/ctx.ts';

interface Facts<Fact> {
  /** The number of facts in memory. */
  readonly size: number;
  /** Whether a fact is small enough, and undamaged: a damaged row is read again until it is restored. */
  readonly isCacheable?: (fact: Fact) => boolean;
  readonly read: (ctx: Ctx, keys: readonly string[]) => Promise<Iterable<readonly [string, Fact]>>;
}

/**
 * Finds facts by key, in memory or else in the database with one query for all that are missing. Only for rows that
 * never change, under keys that are unique across orgs: a cached fact is never refreshed. Facts that are unlikely to be
 * asked for again, such as old ones, are better not cached: filling and evicting costs more than it saves.
 */
export function cachedFacts<Fact>({ size, isCacheable = () => true, read }: Facts<Fact>) {
  const cache = new LRUCache<string, NonNullable<Fact>>({ max: size });
  return async (ctx: Ctx, keys: Iterable<string>, shouldCache = true): Promise<ReadonlyMap<string, Fact>> => {
    const found = new Map<string, Fact>();
    const missing: string[] = [];
    for (const key of keys) {
      if (found.has(key)) continue;
      const fact = cache.get(key);
      if (fact === undefined) missing.push(key);
      else found.set(key, fact);
    }
    if (missing.length === 0) return found;
    for (const [key, fact] of await read(ctx, [...new Set(missing)])) {
      found.set(key, fact);
      if (shouldCache && fact !== null && fact !== undefined && isCacheable(fact)) cache.set(key, fact);
    }
    return found;
  };
}
