import { LRUCache } from 'lru-cache';
import type { Ctx } from '../../../platform/ctx.ts';

interface Facts<Fact> {
  /** How many are kept. */
  readonly size: number;
  /** Whether one is small enough to be kept, and whole: a damaged one is read again until it is restored. */
  readonly isKept?: (fact: Fact) => boolean;
  readonly read: (ctx: Ctx, keys: readonly string[]) => Promise<Iterable<readonly [string, Fact]>>;
}

/**
 * Looks facts up by key, and reads those from the database that are not in memory, all at once. Only for what never
 * changes once it is there, under keys that are unlike in all orgs: nothing kept is ever looked at again. What is not
 * going to be asked for again, as of long ago, is better not kept: memory that is filled and emptied over and over costs
 * more than it saves.
 */
export function keptFacts<Fact>({ size, isKept = () => true, read }: Facts<Fact>) {
  const kept = new LRUCache<string, NonNullable<Fact>>({ max: size });
  return async (ctx: Ctx, keys: Iterable<string>, isToKeep = true): Promise<ReadonlyMap<string, Fact>> => {
    const found = new Map<string, Fact>();
    const missing: string[] = [];
    for (const key of keys) {
      if (found.has(key)) continue;
      const fact = kept.get(key);
      if (fact === undefined) missing.push(key);
      else found.set(key, fact);
    }
    if (missing.length === 0) return found;
    for (const [key, fact] of await read(ctx, [...new Set(missing)])) {
      found.set(key, fact);
      if (isToKeep && fact !== null && fact !== undefined && isKept(fact)) kept.set(key, fact);
    }
    return found;
  };
}
