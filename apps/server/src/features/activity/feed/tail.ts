import { BATCH, type FeedHead, type FeedPart, type FeedRow } from './feed.store.ts';

/** How late an event may arrive when this server missed the wake-up for it. */
const POLL_MS = 15_000;
/** Rows cached for listeners that are slightly behind. */
const CACHE_SIZE = 500;

/** Reads the feed of an org after an index. */
export type ReadFeed = (index: number, signal: AbortSignal) => Promise<FeedPart>;

export interface TailRow extends FeedRow {
  /** When this server had read it, in milliseconds of this process. */
  readonly readAt: number;
}

/** Part of the feed, and the index that it leads to. */
export interface FeedPage {
  readonly rows: readonly TailRow[];
  readonly reached: number;
}

/** The end of an org's feed, read once for all who listen to it on this server. */
export interface Tail {
  /** Returns what comes next. Listeners that are too far behind for the cache share reads of whole pages. */
  next(index: number): Promise<FeedPage>;
  /** Resolves when there is more after the index, or when the signal is given. */
  more(index: number, signal: AbortSignal): Promise<void>;
  leave(): void;
}

export interface SharedTail {
  readonly life: number;
  join(): Tail;
  /** Ends the streams of all listeners, because the database has another life. */
  endAll(): void;
}

interface PageCache {
  get(index: number): Promise<FeedPage> | undefined;
  set(index: number, page: Promise<FeedPage>): void;
  delete(index: number): void;
}

interface TailParts {
  readonly head: FeedHead;
  listen(hear: () => void): () => void;
  readonly readNew: ReadFeed;
  readonly readOld: ReadFeed;
  readonly cachePage: PageCache;
  /**
   * Called when the last listener has left, or when the feed could not be read: the next listener starts a new tail.
   */
  onEnd(): void;
}

export function createTail({ head, listen, readNew, readOld, cachePage, onEnd }: TailParts): SharedTail {
  const ending = new AbortController();
  const inside = new Set<object>();
  const waiting = new Set<() => void>();
  /** All rows after `cachedFrom` up to `newest`. */
  let cached: readonly TailRow[] = [];
  let cachedFrom = head.index;
  let newest = head.index;
  let failure: { readonly error: unknown } | undefined;
  let isReading = false;
  let isNews = false;

  const stopListening = listen(() => void poll());
  const timer = setInterval(() => {
    // Nothing has arrived for a while: a listener that has not taken the cached rows by now reads them again.
    cache([]);
    void poll();
  }, POLL_MS);
  // Events that arrived after the head was read and before anybody listened.
  void poll();

  async function poll(): Promise<void> {
    isNews = true;
    if (isReading) return;
    isReading = true;
    try {
      while (isNews && !ending.signal.aborted) await readOnce();
    } catch (error) {
      if (!ending.signal.aborted) fail(error);
    } finally {
      isReading = false;
    }
  }

  async function readOnce(): Promise<void> {
    isNews = false;
    const rows = rowsOf(await readNew(newest, ending.signal));
    if (ending.signal.aborted) return;
    if (rows.length === BATCH) isNews = true;
    timer.refresh();
    add(rows);
  }

  function rowsOf({ life, rows, readAt }: FeedPart): TailRow[] {
    if (life !== head.life) throw new Error('the database has another life since the event stream began');
    return rows.map((row) => ({ ...row, readAt }));
  }

  function add(rows: readonly TailRow[]): void {
    const last = rows.at(-1);
    if (!last) return;
    newest = last.index;
    cache([...cached, ...rows]);
    wakeAll();
  }

  function cache(rows: readonly TailRow[]): void {
    cached = rows.slice(-CACHE_SIZE);
    const dropped = rows[rows.length - cached.length - 1];
    if (dropped) cachedFrom = dropped.index;
    else if (cached.length === 0) cachedFrom = newest;
  }

  /** Ends the streams of all listeners. When they reconnect, each learns whether it has missed something. */
  function fail(error: unknown): void {
    failure = { error };
    end();
    wakeAll();
  }

  function wakeAll(): void {
    for (const wake of [...waiting]) wake();
  }

  function end(): void {
    ending.abort();
    stopListening();
    clearInterval(timer);
    onEnd();
  }

  async function next(index: number): Promise<FeedPage> {
    if (failure) throw failure.error;
    if (index < cachedFrom) {
      const { rows, reached } = await pageAt(index);
      return { rows: rows.filter((row) => row.index > index), reached: Math.max(index, reached) };
    }
    return { rows: cached.filter((row) => row.index > index), reached: Math.max(index, newest) };
  }

  /** Pages begin at multiples of their size, so that listeners who are behind by different amounts share them. */
  function pageAt(index: number): Promise<FeedPage> {
    const start = Math.floor((index + 1) / BATCH) * BATCH - 1;
    const known = cachePage.get(start);
    if (known !== undefined) return known;
    const page = readPage(start).then(
      (read) => {
        // The last page is still growing: its rows are cached with those that follow.
        if (read.rows.length < BATCH) cachePage.delete(start);
        return read;
      },
      (error: unknown) => {
        cachePage.delete(start);
        throw error;
      },
    );
    cachePage.set(start, page);
    return page;
  }

  async function readPage(start: number): Promise<FeedPage> {
    // Everything up to `newest` is visible to the read.
    const known = newest;
    const rows = rowsOf(await readOld(start, ending.signal));
    const last = rows.at(-1)?.index ?? start;
    if (rows.length === BATCH) return { rows, reached: last };
    const reached = Math.max(last, known);
    if (start < cachedFrom && cachedFrom <= reached) {
      cached = [...rows.filter((row) => row.index <= cachedFrom), ...cached];
      cachedFrom = start;
    }
    return { rows, reached };
  }

  function more(index: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        signal.removeEventListener('abort', done);
        waiting.delete(done);
        resolve();
      };
      signal.addEventListener('abort', done, { once: true });
      waiting.add(done);
      if (signal.aborted || failure || newest > index) done();
    });
  }

  function join(): Tail {
    const one = {};
    inside.add(one);
    const leave = () => {
      if (inside.delete(one) && inside.size === 0 && !ending.signal.aborted) end();
    };
    return { next, more, leave };
  }

  return {
    life: head.life,
    join,
    endAll: () => fail(new Error('the database has another life since the event stream began')),
  };
}
