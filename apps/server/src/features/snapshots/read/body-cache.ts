export interface KeptBody {
  /** What the body was written from, as far as that can change. */
  readonly stamp: string;
  readonly flowNames: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** Nothing that it was written from is damaged. */
  readonly isWhole: boolean;
}

/** Keeps answers up to a number of bytes; those that were not asked for the longest go first. */
export function createKeptBodies(maxBytes: number) {
  const kept = new Map<string, KeptBody>();
  let bytes = 0;
  const drop = (key: string): void => {
    bytes -= kept.get(key)?.body.length ?? 0;
    kept.delete(key);
  };
  return {
    find(key: string, stamp: string): KeptBody | undefined {
      const found = kept.get(key);
      if (found?.stamp !== stamp) return undefined;
      kept.delete(key);
      kept.set(key, found);
      return found;
    },
    keep(key: string, entry: KeptBody): void {
      drop(key);
      if (entry.body.length > maxBytes / 4) return;
      kept.set(key, entry);
      bytes += entry.body.length;
      for (const oldest of kept.keys()) {
        if (bytes <= maxBytes) break;
        drop(oldest);
      }
    },
  };
}
