import { performance } from 'node:perf_hooks';
import { sql } from 'kysely';
import type { Ctx } from './ctx.ts';
import { createRecentCallers } from './recent-callers.ts';
import { createRecentCost } from './recent-cost.ts';

/**
 * Cuts long work on the main thread into slices. Everything else that the process does, for all orgs, goes on between
 * two of them.
 */
export interface Slices {
  /** The work of one org, part of which may be done in the current slice. */
  begin(org: string): Slice;
  /** Takes note of an org that asks for anything: sliced work of others then rests as long as it works. */
  noteAsking(org: string): void;
}

export interface Slice {
  /** Whether the time of all sliced work in this turn of the event loop is used up. */
  isOver(): boolean;
  /** Waits for the next slice, which goes to the org that used the least of late. */
  next(): Promise<void>;
}

const SLICE_MS = 10;
const REST_MOST_MS = 30;

export function createSlices(now: () => number = () => performance.now()): Slices {
  const waiting = new Map<string, (() => void)[]>();
  const cost = createRecentCost(now);
  const asking = createRecentCallers();
  let latest = '';
  let startedAt: number | undefined;
  let isTurnComing = false;

  function awaitTurn(): void {
    if (isTurnComing) return;
    isTurnComing = true;
    setImmediate(() => {
      const restMs = restAfter(now() - (startedAt ?? now()));
      if (restMs > 0) setTimeout(takeTurn, restMs);
      else takeTurn();
    });
  }

  /** A request that asks the database ten times waits for ten slices if the next one begins with every turn. */
  function restAfter(workedMs: number): number {
    return asking.isAlone(latest, now()) ? 0 : Math.min(Math.floor(workedMs), REST_MOST_MS);
  }

  function takeTurn(): void {
    isTurnComing = false;
    startedAt = undefined;
    resumeOne();
  }

  function resumeOne(): void {
    let least: { readonly org: string; readonly used: number } | undefined;
    for (const org of waiting.keys()) {
      const used = cost.of(org);
      if (used < (least?.used ?? Number.POSITIVE_INFINITY)) least = { org, used };
    }
    if (!least) return;
    const queue = waiting.get(least.org) ?? [];
    const resume = queue.shift();
    if (queue.length === 0) waiting.delete(least.org);
    startedAt = now();
    latest = least.org;
    awaitTurn();
    resume?.();
  }

  return {
    begin: (org) => ({
      isOver() {
        if (startedAt === undefined) latest = org;
        startedAt ??= now();
        awaitTurn();
        return now() - startedAt >= SLICE_MS;
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

/** Runs work that yields wherever it can be interrupted. A transaction is kept from counting as idle meanwhile. */
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
