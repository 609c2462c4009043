interface Page<Item, Cursor> {
  readonly items: readonly Item[];
  /** The cursor of the rest; none at the end. */
  readonly next: Cursor | null | undefined;
}

/** All pages of a list with cursors. */
export async function* pagesAfter<Item, Cursor>(
  read: (after: Cursor | undefined) => Promise<Page<Item, Cursor>>,
): AsyncGenerator<readonly Item[], void> {
  let after: Cursor | undefined;
  do {
    const { items, next } = await read(after);
    yield items;
    after = next ?? undefined;
  } while (after !== undefined);
}

/** All pages of a list with numbers. Nothing may be added before a page that was read: the last page is a short one. */
export async function* pagesNumbered<Item>(
  perPage: number,
  read: (page: number) => Promise<readonly Item[]>,
): AsyncGenerator<readonly Item[], void> {
  for (let page = 1; ; page++) {
    const items = await read(page);
    yield items;
    if (items.length < perPage) return;
  }
}
