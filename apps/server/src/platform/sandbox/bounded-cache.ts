import { createBoundedMap } from '../bounded-map.ts';

/** Keeps what was made for the last `size` texts. */
export function createCache<Value>(size: number, make: (text: string) => Value): (text: string) => Value {
  const made = createBoundedMap<Value>(size);
  return (text) => {
    const known = made.get(text);
    if (known !== undefined) return known;
    const value = make(text);
    made.set(text, value);
    return value;
  };
}
