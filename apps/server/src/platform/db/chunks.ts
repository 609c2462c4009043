/** Rows that one statement writes: some milliseconds, and far below the bound on parameters. */
const CHUNK = 1_000;

/** Cuts what may be many into lists of which a statement takes one. */
export function* chunksOf<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let first = 0; first < items.length; first += CHUNK) yield items.slice(first, first + CHUNK);
}
