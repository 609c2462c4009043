import { LRUCache } from 'lru-cache';

export interface CachedBody {
  /** What the body was written from, as far as that can change. */
  readonly stamp: string;
  readonly flowNames: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** Nothing that it was written from is damaged. */
  readonly isWhole: boolean;
}

/** Caches bodies up to a number of bytes. A body that alone would take a quarter of them is not cached. */
export function createBodyCache(maxBytes: number) {
  const cache = new LRUCache<string, CachedBody>({
    maxSize: maxBytes,
    maxEntrySize: maxBytes / 4,
    sizeCalculation: ({ body }) => body.length,
  });
  return {
    find(key: string, stamp: string): CachedBody | undefined {
      const found = cache.get(key);
      return found?.stamp === stamp ? found : undefined;
    },
    add(key: string, entry: CachedBody): void {
      cache.set(key, entry);
    },
  };
}
