import { LRUCache } from 'lru-cache';

export interface FairCache<Value extends object> {
  get(org: string, key: string): Value | undefined;
  set(org: string, key: string, value: Value): void;
}

/**
 * A bounded cache for all orgs. When it is full, an org that holds more than an equal share loses what it did not use for
 * the longest time, so that one org that reads much does not make the others read again.
 */
export function createFairCache<Value extends object>(maxSize: number, sizeOf: (value: Value) => number) {
  /** The org that was used last comes last. */
  const orgs = new Map<string, LRUCache<string, Value>>();
  let size = 0;

  const shrink = (org: string, cache: LRUCache<string, Value>) => {
    size -= cache.calculatedSize;
    cache.pop();
    size += cache.calculatedSize;
    if (cache.size === 0) orgs.delete(org);
  };
  const makeRoom = () => {
    const share = maxSize / orgs.size;
    for (const [org, cache] of orgs) {
      while (size > maxSize && cache.calculatedSize > share) shrink(org, cache);
      if (size <= maxSize) return;
    }
  };
  const use = (org: string, cache: LRUCache<string, Value>) => {
    orgs.delete(org);
    orgs.set(org, cache);
    return cache;
  };

  return {
    get(org, key) {
      const cache = orgs.get(org);
      return cache && use(org, cache).get(key);
    },
    set(org, key, value) {
      const cache = use(org, orgs.get(org) ?? new LRUCache({ maxSize, sizeCalculation: sizeOf }));
      size -= cache.calculatedSize;
      cache.set(key, value);
      size += cache.calculatedSize;
      if (cache.size === 0) orgs.delete(org);
      makeRoom();
    },
  } satisfies FairCache<Value>;
}
