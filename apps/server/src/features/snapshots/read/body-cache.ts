import { LRUCache } from 'lru-cache';

export interface CachedBody {
  /** Identifies the mutable inputs of the body. */
  readonly stamp: string;
  readonly flowNames: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** No row that the body is made of is damaged. */
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
