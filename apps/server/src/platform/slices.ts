import { performance } from 'node:perf_hooks';
import { sql } from 'kysely';
import type { Ctx } from './ctx.ts';
import { createRecentCallers } from './recent-callers.ts';
import { createRecentCost } from './recent-cost.ts';

/**
 * Cuts long work on the main thread into slices. Everything else that the process does, for all orgs, runs in between.
 */
export interface Slices {
  /** The work of one org, part of which may run in the current slice. */
  begin(org: string): Slice;
  /** Records that an org is active: sliced work of others then rests as long as it works. */
  noteAsking(org: string): void;
}

export interface Slice {
  /** Whether the time for sliced work in this turn of the event loop is used up. */
  isOver(): boolean;
  /** Waits for the next slice, which goes to the org with the least recent use. */
  next(): Promise<void>;
}

const SLICE_MS = 10;
const MAX_REST_MS = 30;

export function createSlices(now: () => number = () => performance.now()): Slices {
  const waiting = new Map<string, (() => void)[]>();
  const cost = createRecentCost(now);
  const asking = createRecentCallers();
  let rest = { after: '', until: Number.NEGATIVE_INFINITY };
  let latest = '';
  let startedAt: number | undefined;
  let isTurnComing = false;
  let isRestEnding = false;

  function awaitTurn(): void {
    if (isTurnComing) return;
    isTurnComing = true;
    setImmediate(takeTurn);
  }

  function takeTurn(): void {
    isTurnComing = false;
    if (startedAt !== undefined && !asking.isAlone(latest, now())) {
      const until = now() + Math.min(now() - startedAt, MAX_REST_MS);
      if (until > rest.until) rest = { after: latest, until };
    }
    startedAt = undefined;
    resumeOne();
  }

  /** Whether an org has to wait after a slice. Light users do not rest because of a heavy one. */
  function rests(org: string): boolean {
    return now() < rest.until && (org === rest.after || cost.of(org) * 2 >= cost.of(rest.after));
  }

  function awaitEndOfRest(): void {
    if (isRestEnding) return;
    isRestEnding = true;
    setTimeout(
      () => {
        isRestEnding = false;
        resumeOne();
      },
      Math.ceil(rest.until - now()),
    );
  }

  function resumeOne(): void {
    if (startedAt !== undefined || waiting.size === 0) return;
    const org = waiting
      .keys()
      .filter((org) => !rests(org))
      .reduce<string | undefined>((least, org) => (least && cost.of(least) <= cost.of(org) ? least : org), undefined);
    if (org === undefined) {
      awaitEndOfRest();
      return;
    }
    const queue = waiting.get(org) ?? [];
    const resume = queue.shift();
    if (queue.length === 0) waiting.delete(org);
    begin(org);
    resume?.();
  }

  function begin(org: string): void {
    latest = org;
    startedAt = now();
    awaitTurn();
  }

  return {
    begin: (org) => ({
      isOver() {
        if (rests(org)) return true;
        if (startedAt === undefined) begin(org);
        return now() - (startedAt ?? now()) >= SLICE_MS;
      },
      next() {
        cost.add(org, now() - (startedAt ?? now()));
        const { promise, resolve } = Promise.withResolvers<void>();
        const queue = waiting.get(org);
        if (queue) queue.push(resolve);
        else waiting.set(org, [resolve]);
        awaitTurn();
        return promise;
      },
    }),
    noteAsking: (org) => asking.note(org, now()),
  };
}

/** There is one main thread, and all sliced work shares it. */
const slices = createSlices();

export const { noteAsking } = slices;

/** PostgreSQL ends a transaction that was idle for 10 seconds. */
const IDLE_MS = 3_000;

/**
 * Runs work that yields wherever it can be interrupted, and prevents its transaction from counting as idle meanwhile.
 */
export async function inSlices<T>(
  ctx: Pick<Ctx, 'org'> & Partial<Pick<Ctx, 'db'>>,
  work: Iterator<void, T>,
  signal?: AbortSignal,
): Promise<T> {
  const slice = slices.begin(ctx.org);
  let activeAt = performance.now();
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    if (!slice.isOver()) continue;
    if (ctx.db?.isTransaction && performance.now() - activeAt > IDLE_MS) {
      await sql`select 1`.execute(ctx.db);
      activeAt = performance.now();
    }
    await slice.next();
    signal?.throwIfAborted();
  }
}
