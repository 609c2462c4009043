/** Keeps what was made for the last `size` texts. */
export function createCache<Value>(size: number, make: (text: string) => Value): (text: string) => Value {
  const made = new Map<string, Value>();
  return (text) => {
    const known = made.get(text);
    if (known !== undefined) return known;
    const oldest = made.size >= size ? made.keys().next().value : undefined;
    if (oldest !== undefined) made.delete(oldest);
    const value = make(text);
    made.set(text, value);
    return value;
  };
}
