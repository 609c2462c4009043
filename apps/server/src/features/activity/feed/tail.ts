import type { FeedRow } from './feed.store.ts';

/** How late news may come that nobody told this server of. */
const POLL_MS = 15_000;
/** Rows in one read. */
export const BATCH = 500;
/** Rows kept for those who are not quite up to date. */
const CACHE_SIZE = 500;

/** Reads the feed of an org after a position, oldest first, at most `BATCH` rows. */
export type ReadFeed = (org: string, position: number, signal: AbortSignal) => Promise<readonly FeedRow[]>;

/** Part of the feed, and the position that it leads to. */
interface Part {
  readonly rows: readonly FeedRow[];
  readonly reached: number;
}

/** The end of an org's feed, read once for all who listen to it on this server. */
export interface Tail {
  /** What comes next. Who is too far behind for what is kept here has it read for them alone. */
  next(position: number, signal: AbortSignal): Promise<Part>;
  /** Resolves when there is more after the position, after `ms`, or when the signal is given. */
  more(position: number, ms: number, signal: AbortSignal): Promise<void>;
  leave(): void;
}

export interface SharedTail {
  join(): Tail;
}

interface TailParts {
  readonly head: number;
  listen(hear: () => void): () => void;
  read(position: number, signal: AbortSignal): Promise<readonly FeedRow[]>;
  /** Called when the last has left, or when the feed could not be read: the next one to come begins anew. */
  onEnd(): void;
}

export function createTail({ head, listen, read, onEnd }: TailParts): SharedTail {
  const ending = new AbortController();
  const inside = new Set<object>();
  const waiting = new Set<() => void>();
  /** All rows after `keptFrom` up to `newest`. */
  let cached: readonly FeedRow[] = [];
  let cachedFrom = head;
  let newest = head;
  let failure: { readonly error: unknown } | undefined;
  let isReading = false;
  let isNews = false;

  const stopListening = listen(() => void poll());
  const timer = setInterval(() => {
    // Nothing came for a while: who has not taken what is kept by now reads it again.
    cache([]);
    void poll();
  }, POLL_MS);
  // What came after the head was read, and before anybody listened.
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
    newest = last.position;
    cache([...cached, ...rows]);
    wakeAll();
  }

  function cache(rows: readonly FeedRow[]): void {
    cached = rows.slice(-CACHE_SIZE);
    const dropped = rows[rows.length - cached.length - 1];
    if (dropped) cachedFrom = dropped.position;
    else if (cached.length === 0) cachedFrom = newest;
  }

  /** Everybody's stream ends, and on coming back each is told if it has missed something. */
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

  async function next(position: number, signal: AbortSignal): Promise<Part> {
    if (failure) throw failure.error;
    if (position >= cachedFrom) {
      const rows = cached.filter((row) => row.position > position);
      return { rows, reached: Math.max(position, newest) };
    }
    // Whatever is known here before the read is seen by it, unless it is not stored any more.
    const known = newest;
    const rows = await read(position, signal);
    const last = rows.at(-1)?.position ?? position;
    return { rows, reached: rows.length < BATCH ? Math.max(last, known) : last };
  }

  function more(position: number, ms: number, signal: AbortSignal): Promise<void> {
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
      if (signal.aborted || failure || newest > position) done();
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
