export interface BoundedMap<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
}

/** Forgets what it has known longest when it would hold more than `size`. */
export function createBoundedMap<Value>(size: number): BoundedMap<Value> {
  const kept = new Map<string, Value>();
  return {
    get: (key) => kept.get(key),
    set(key, value) {
      const oldest = kept.size >= size && !kept.has(key) ? kept.keys().next().value : undefined;
      if (oldest !== undefined) kept.delete(oldest);
      kept.set(key, value);
    },
    delete: (key) => void kept.delete(key),
  };
}
