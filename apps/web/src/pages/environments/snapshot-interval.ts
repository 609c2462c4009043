/** The snapshots at the first and the last day of a filter; none before the first snapshot. */
interface Bounds {
  /** Undefined when no day was given. */
  readonly first: number | null | undefined;
  readonly last: number | null | undefined;
}

export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** The numbers of all snapshots that held within the days; null for none. */
export function intervalOf({ first, last }: Bounds, latest: number): Interval | null {
  // A period that ends before the first snapshot has none.
  if (last === null || latest === 0) return null;
  return { from: first ?? 1, to: last ?? latest };
}

/** A time as the API takes it in an expression, which is in UTC and has no fractions. */
export function expressionAt(seconds: number): string {
  return `@{${new Date(seconds * 1000).toISOString().slice(0, 19)}}`;
}
