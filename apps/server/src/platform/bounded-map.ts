export interface BoundedMap<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
}

/**
 * Forgets what it has known longest when it would hold more than `size`. It forgets half of it at once: a map from which
 * the first key is taken again and again becomes slow.
 */
export function createBoundedMap<Value>(size: number): BoundedMap<Value> {
  let newer = new Map<string, Value>();
  let older = new Map<string, Value>();
  return {
    get: (key) => newer.get(key) ?? older.get(key),
    set(key, value) {
      if (newer.size >= Math.ceil(size / 2) && !newer.has(key)) {
        older = newer;
        newer = new Map();
      }
      newer.set(key, value);
    },
    delete(key) {
      newer.delete(key);
      older.delete(key);
    },
  };
}
