import type { FeedRow } from './feed.store.ts';

/** How late an event may arrive when this server missed the wake-up for it. */
const POLL_MS = 15_000;
/** Rows in one read. */
export const BATCH = 500;
/** Rows cached for listeners that are slightly behind. */
const CACHE_SIZE = 500;

/** Reads the feed of an org after an index, oldest first, at most `BATCH` rows. */
export type ReadFeed = (org: string, index: number, signal: AbortSignal) => Promise<readonly FeedRow[]>;

/** Part of the feed, and the index that it leads to. */
interface Part {
  readonly rows: readonly FeedRow[];
  readonly reached: number;
}

/** The end of an org's feed, read once for all who listen to it on this server. */
export interface Tail {
  /** Returns what comes next. A listener that is too far behind for the cache gets a read of its own. */
  next(index: number, signal: AbortSignal): Promise<Part>;
  /** Resolves when there is more after the index, after `ms`, or when the signal is given. */
  more(index: number, ms: number, signal: AbortSignal): Promise<void>;
  leave(): void;
}

export interface SharedTail {
  join(): Tail;
}

interface TailParts {
  readonly head: number;
  listen(hear: () => void): () => void;
  read(index: number, signal: AbortSignal): Promise<readonly FeedRow[]>;
  /**
   * Called when the last listener has left, or when the feed could not be read: the next listener starts a new tail.
   */
  onEnd(): void;
}

export function createTail({ head, listen, read, onEnd }: TailParts): SharedTail {
  const ending = new AbortController();
  const inside = new Set<object>();
  const waiting = new Set<() => void>();
  /** All rows after `cachedFrom` up to `newest`. */
  let cached: readonly FeedRow[] = [];
  let cachedFrom = head;
  let newest = head;
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
      while (isNews && !ending.signal.aborted) {
        isNews = false;
        const rows = await read(newest, ending.signal);
        if (rows.length === BATCH) isNews = true;
        timer.refresh();
        add(rows);
      }
    } catch (error) {
      if (!ending.signal.aborted) fail(error);
    } finally {
      isReading = false;
    }
  }

  function add(rows: readonly FeedRow[]): void {
    const last = rows.at(-1);
    if (!last) return;
    newest = last.index;
    cache([...cached, ...rows]);
    wakeAll();
  }

  function cache(rows: readonly FeedRow[]): void {
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

  async function next(index: number, signal: AbortSignal): Promise<Part> {
    if (failure) throw failure.error;
    if (index >= cachedFrom) {
      const rows = cached.filter((row) => row.index > index);
      return { rows, reached: Math.max(index, newest) };
    }
    // Everything up to `newest` is visible to the read.
    const known = newest;
    const rows = await read(index, signal);
    const last = rows.at(-1)?.index ?? index;
    return { rows, reached: rows.length < BATCH ? Math.max(last, known) : last };
  }

  function more(index: number, ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(after);
        signal.removeEventListener('abort', done);
        waiting.delete(done);
        resolve();
      };
      const after = setTimeout(done, ms);
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

  return { join };
}
