export const PER_PAGE = 50;

export interface ListPage<Row> {
  readonly rows: readonly Row[];
  readonly page: number;
  readonly pages: number;
  readonly total: number;
}

/** A page of a list that the server returns as a whole. A page beyond the end is the last one. */
export function listPage<Row>(all: readonly Row[], page: number, perPage = PER_PAGE): ListPage<Row> {
  const pages = Math.max(1, Math.ceil(all.length / perPage));
  const shown = Math.min(Math.max(1, page), pages);
  return { rows: all.slice((shown - 1) * perPage, shown * perPage), page: shown, pages, total: all.length };
}

/** Whether one of the texts contains the search text, ignoring case. */
export function holds(sought: string | undefined, ...texts: readonly string[]): boolean {
  const wanted = (sought ?? '').trim().toLowerCase();
  return wanted === '' || texts.some((text) => text.toLowerCase().includes(wanted));
}
