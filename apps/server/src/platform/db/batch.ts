import { performance } from 'node:perf_hooks';
import { type Problem, unavailable } from '../errors.ts';
import { createFairQueue, figuresOf, type QueueFigures } from '../fair-queue.ts';
import type { WatchQueue } from '../queue.metrics.ts';
import { isDeadlock, isLockTimeout, isUnavailable } from './failure.ts';
import { createGroupQueue, type Member } from './group-queue.ts';
import { createSlowShares } from './slow-shares.ts';

/** How long a statement shared by several callers waits for a lock. No ordinary work holds one for that long. */
export const SHARED_LOCK_TIMEOUT_MS = 200;

const MAX_RUNNING = 2;
const PATIENCE_MS = 10_000;
const GROUPS = { group: 64, groupBytes: 2 * 1024 * 1024, waiting: 4_096, waitingPerShare: 1_024 };

const SEPARATED = { patienceMs: PATIENCE_MS, heavyFromMs: 1_000, running: 4, waiting: 1_024, waitingPerOrg: 256 };
/** Each ends soon, because it waits for locks no longer than a group. */
const REGROUPED = { ...SEPARATED, runningPerOrg: 1 };
/** Each may wait for a lock as long as any statement. */
const ALONE = { ...SEPARATED, runningPerOrg: 2 };

export interface BatchWork<Item, Result> {
  /** Gives one result for each item, in order. Waits for locks no longer than `SHARED_LOCK_TIMEOUT_MS`. */
  run(items: readonly Item[]): Promise<readonly Result[]>;
  /** Waits for locks like any statement. Needed only where `run` takes locks. */
  runAlone?(item: Item): Promise<Result>;
  /** The org of an item, or the address where the org is not known yet. */
  shareOf(item: Item): string;
  /** Needed only where an item can be large. */
  bytesOf?(item: Item): number;
  /** How many items of one share may wait, if not the default. */
  readonly waitingPerShare?: number;
  /** The error for a caller when the queue is full. */
  readonly refusal: string;
}

export interface Batch<Item, Result> {
  send(item: Item): Promise<Result>;
  readonly queues: Readonly<Record<'shared' | 'regrouped' | 'alone', () => QueueFigures>>;
}

interface Waiting<Item, Result> extends Member {
  readonly item: Item;
  readonly askedAt: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Lets concurrent callers share one statement. A lone call goes out at once; while two groups are in progress, new
 * items wait and leave together. A group that PostgreSQL refuses, or that waits for a lock, is retried share by share,
 * and then item by item, so that one caller's fault never fails another.
 */
export function batch<Item, Result>(
  work: BatchWork<Item, Result>,
  now: () => number = () => performance.now(),
): Batch<Item, Result> {
  type One = Waiting<Item, Result>;
  const queue = createGroupQueue<One>({ ...GROUPS, waitingPerShare: work.waitingPerShare ?? GROUPS.waitingPerShare });
  const regrouped = createFairQueue({ ...REGROUPED, refusal: work.refusal }, now);
  const alone = createFairQueue({ ...ALONE, refusal: work.refusal }, now);
  const slow = createSlowShares(SHARED_LOCK_TIMEOUT_MS, now);
  const sums = { running: 0, admitted: 0, refused: 0, waitedMs: 0 };
  let planned = false;

  function plan(): void {
    if (planned || sums.running >= MAX_RUNNING || queue.size === 0) return;
    planned = true;
    // After this turn of the event loop has read every socket that was ready.
    setImmediate(() => {
      planned = false;
      void runShared(queue.take().filter(isInTime));
      plan();
    });
  }

  /** A caller that waited too long has most likely disconnected, and the database is overloaded. */
  function isInTime(one: One): boolean {
    const waited = now() - one.askedAt;
    sums.waitedMs += waited;
    if (waited >= PATIENCE_MS) one.reject(refuse());
    else sums.admitted++;
    return waited < PATIENCE_MS;
  }

  async function runShared(group: readonly One[]): Promise<void> {
    if (group.length === 0) return plan();
    sums.running++;
    const failure = await settle(group);
    sums.running--;
    plan();
    if (failure) separate(group);
  }

  /** Returns the error of a group that should be retried in parts. */
  async function settle(group: readonly One[]): Promise<unknown> {
    try {
      const results = await work.run(group.map(({ item }) => item));
      for (const [i, { resolve }] of group.entries()) resolve(results[i] as Result);
    } catch (error) {
      if (mayDoInParts(error, group.length)) return error;
      for (const one of group) one.reject(error);
    }
    return undefined;
  }

  function separate(group: readonly One[]): void {
    const byShare = Map.groupBy(group, (one) => one.share);
    if (byShare.size === 1) for (const one of group) void runAlone(one);
    else for (const [share, ofShare] of byShare) void regroup(share, ofShare);
  }

  async function regroup(share: string, group: readonly One[]): Promise<void> {
    const leave = slow.enter(share, false);
    try {
      const failure = await regrouped.run(share, () => settle(group));
      if (failure) for (const one of group) void runAlone(one);
    } catch (refusal) {
      for (const one of group) one.reject(refusal);
    } finally {
      leave();
    }
  }

  async function runAlone({ share, item, resolve, reject }: One): Promise<void> {
    const leave = slow.enter(share, true);
    try {
      resolve(await alone.run(share, () => ordinarily(item)));
    } catch (error) {
      reject(error);
    } finally {
      leave();
    }
  }

  async function ordinarily(item: Item): Promise<Result> {
    if (work.runAlone) return work.runAlone(item);
    const [result] = await work.run([item]);
    return result as Result;
  }

  function refuse(): Problem {
    sums.refused++;
    return unavailable(work.refusal, { retryAfterSeconds: 1 });
  }

  return {
    send: (item) =>
      new Promise((resolve, reject) => {
        const share = work.shareOf(item);
        const one = { item, share, bytes: work.bytesOf?.(item) ?? 0, askedAt: now(), resolve, reject };
        if (slow.has(share)) return void runAlone(one);
        queue.add(one)?.reject(refuse());
        plan();
      }),
    queues: {
      shared: () => figuresOf({ ...sums, waiting: queue.size }),
      regrouped: regrouped.figures,
      alone: alone.figures,
    },
  };
}

/** Publishes the queue of the shared statement under its name, and beside it what was separated from its group. */
export function watchBatch(watch: WatchQueue, name: string, { queues }: Pick<Batch<never, unknown>, 'queues'>): void {
  watch(name, queues.shared);
  watch(`${name}_regrouped`, queues.regrouped);
  watch(`${name}_alone`, queues.alone);
}

/** Whether one item, or a lock that it waits for, is at fault. A database that is down is not asked 64 times. */
function mayDoInParts(error: unknown, size: number): boolean {
  if (isLockTimeout(error)) return true;
  return size > 1 && (isDeadlock(error) || !isUnavailable(error));
}
