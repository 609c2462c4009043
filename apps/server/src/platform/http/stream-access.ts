import type { CallerRow, FindCallers, SentTo } from './find-caller.ts';

/** How often the access of everyone with an open event stream is checked. */
const CHECK_MS = 10_000;
/** Nothing is sent after a check that is older. Later than the next check is due. */
const STALE_MS = 15_000;

interface StreamAccessParts {
  readonly findCallers: FindCallers;
  readonly now: () => Date;
}

/** An open stream, as its access is checked. */
interface WatchedStream {
  /** Judges what was found about the credential; rejects when it gives no access any more. */
  judge(row: CallerRow | undefined): Promise<void>;
  /** Closes the stream. */
  close(): void;
}

export interface StreamAccess {
  /** Checks the access of a stream from now on. `checkedFrom` is when the check at its beginning began at the earliest. */
  watch(sent: SentTo, checkedFrom: number, stream: WatchedStream): AccessWatch;
}

export interface AccessWatch {
  /**
   * Resolves after a check that began after `since`, in milliseconds of this process, and is recent. The stream is closed
   * if it has failed.
   */
  require(since?: number): Promise<void>;
  leave(): void;
}

interface Watched extends SentTo {
  readonly streams: Set<WatchedStream>;
  /** When the last check began, in milliseconds of this process. */
  begunAt: number;
  /** The same by the clock. */
  checkedAt: number;
  checked: Promise<void>;
}

/**
 * Checks the access of all event streams of a server together: streams with one credential share a check, and
 * credentials a statement. While one statement runs, the next one gathers.
 */
export function createStreamAccess({ findCallers, now }: StreamAccessParts): StreamAccess {
  const watched = new Map<string, Watched>();
  const next = new Set<Watched>();
  let running: Promise<void> = Promise.resolve();
  let planned: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  function check(some: Iterable<Watched>): Promise<void> {
    for (const one of some) next.add(one);
    planned ??= running.then(begin);
    return planned;
  }

  function begin(): Promise<void> {
    planned = undefined;
    const group = [...next].filter(({ streams }) => streams.size > 0);
    next.clear();
    const [begunAt, checkedAt] = [performance.now(), now().getTime()];
    running = settle(group);
    for (const one of group) Object.assign(one, { begunAt, checkedAt, checked: running });
    return running;
  }

  /** What cannot be checked is treated as lost access: clients reconnect. */
  async function settle(group: readonly Watched[]): Promise<void> {
    try {
      const rows = await findCallers(group);
      await Promise.all(group.map(({ streams }, i) => judgeAll(streams, rows[i])));
    } catch {
      for (const { streams } of group) for (const stream of streams) stream.close();
    }
  }

  async function judgeAll(streams: ReadonlySet<WatchedStream>, row: CallerRow | undefined): Promise<void> {
    await Promise.all([...streams].map((stream) => stream.judge(row).catch(() => stream.close())));
  }

  function isStale({ checkedAt }: Watched): boolean {
    return now().getTime() - checkedAt >= STALE_MS;
  }

  async function require(one: Watched, since: number): Promise<void> {
    const needsCheck = (each: Watched) => each.begunAt <= since || isStale(each);
    if (next.has(one)) return check([]);
    if (!needsCheck(one)) return one.checked;
    // What happened in an org matters to all of its listeners, who ask one by one.
    const ofOrg = [...watched.values()].filter(({ orgName }) => orgName === one.orgName);
    return check(ofOrg.filter(needsCheck));
  }

  function begunWatching(sent: SentTo, begunAt: number): Watched {
    timer ??= setInterval(() => void check(watched.values()), CHECK_MS);
    return { ...sent, streams: new Set(), begunAt, checkedAt: now().getTime(), checked: Promise.resolve() };
  }

  function forget(key: string): void {
    watched.delete(key);
    if (watched.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    watch(sent, checkedFrom, stream) {
      const key = keyOf(sent);
      const one = watched.get(key) ?? begunWatching(sent, checkedFrom);
      watched.set(key, one);
      one.streams.add(stream);
      return {
        require: (since = Number.NEGATIVE_INFINITY) => require(one, since),
        leave() {
          if (one.streams.delete(stream) && one.streams.size === 0) forget(key);
        },
      };
    },
  };
}

function keyOf({ credential: { kind, hash }, orgName }: SentTo): string {
  return `${kind} ${hash.toString('latin1')} ${orgName}`;
}
