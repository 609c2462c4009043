type Present<T> = { [K in keyof T]: Exclude<T[K], null | undefined> } extends infer P
  ? { [K in keyof P as null extends T[K & keyof T] ? never : undefined extends T[K & keyof T] ? never : K]: P[K] } & {
      [K in keyof P]?: P[K];
    }
  : never;

/** The keys that have a value: in the API, null counts as absent. */
export function present<T extends object>(parts: T): Present<T> {
  const entries = Object.entries(parts).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries) as Present<T>;
}
