import { LRUCache } from 'lru-cache';

export interface KeptBody {
  /** What the body was written from, as far as that can change. */
  readonly stamp: string;
  readonly flowNames: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** Nothing that it was written from is damaged. */
  readonly isWhole: boolean;
}

/** Keeps answers up to a number of bytes. One that alone would take a quarter of them is not kept. */
export function createKeptBodies(maxBytes: number) {
  const kept = new LRUCache<string, KeptBody>({
    maxSize: maxBytes,
    maxEntrySize: maxBytes / 4,
    sizeCalculation: ({ body }) => body.length,
  });
  return {
    find(key: string, stamp: string): KeptBody | undefined {
      const found = kept.get(key);
      return found?.stamp === stamp ? found : undefined;
    },
    keep(key: string, entry: KeptBody): void {
      kept.set(key, entry);
    },
  };
}
