import { Cron } from 'croner';
import type { Db } from '../db/db.ts';
import { isUnavailable, storableMessage } from '../db/failure.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../log.ts';
import { pause } from '../pause.ts';
import * as store from './scheduled-task.store.ts';
import type { Task } from './task.ts';

/** How long after its worker was killed a task runs elsewhere. */
const LEASE_MS = 60_000;
/** The delay after the first failure. Each further one is e times as long. */
const RETRY_MS = 1_000 * Math.E;
const RECORD_AGAIN_MS = 1_000;

export interface TaskParts {
  readonly db: Db;
  readonly tasks: readonly Task[];
  readonly log: Logger;
  /** A clock that all workers share. */
  readonly now: () => Date;
  readonly leaseMs?: number;
}

/** Gives every task that has none its first due time. */
export async function scheduleTasks({ db, tasks, now }: TaskParts): Promise<void> {
  const at = now();
  await store.insertSchedules(
    db,
    tasks.map(({ name, cron }) => ({ name, due_at: nextTime(cron, at) })),
  );
}

/** Runs the task that has been due longest, and returns whether there was one. */
export async function runDueTask(parts: TaskParts, signal: AbortSignal): Promise<boolean> {
  const { db, tasks, now, leaseMs = LEASE_MS } = parts;
  const startedAt = now();
  const lease = { holder: newId(), until: addMs(startedAt, leaseMs) };
  const names = tasks.map(({ name }) => name);
  const leased = await store.leaseDue(db, names, startedAt, lease);
  const task = tasks.find(({ name }) => name === leased?.name);
  if (!leased || !task) return false;
  const held = { ...lease, name: task.name };
  const stopExtending = keepExtending(parts, held, leaseMs);
  try {
    const error = await tryToRun(task, db);
    const end = { error, ended_at: now(), due_at: nextTime(task.cron, startedAt) };
    await record(parts, held, error === null ? end : retryAfter(parts, task, leased.failures, end), signal);
  } finally {
    stopExtending();
  }
  return true;
}

/** Returns why the task failed, and null when it did not. */
async function tryToRun(task: Task, db: Db): Promise<string | null> {
  try {
    await task.run(db);
    return null;
  } catch (error) {
    return storableMessage(error);
  }
}

/** Retries soon at first, and no later than at the next time of the schedule. */
function retryAfter({ log }: TaskParts, task: Task, failures: number, end: store.TaskEnd): store.TaskEnd {
  log.warn({ task: task.name, failures: failures + 1, error: end.error }, 'scheduled task failed');
  const untilNextMs = end.due_at.getTime() - end.ended_at.getTime();
  return { ...end, due_at: addMs(end.ended_at, Math.min(untilNextMs, RETRY_MS * Math.E ** failures)) };
}

function keepExtending({ db, log, now }: TaskParts, lease: store.Lease, leaseMs: number): () => void {
  const extend = () =>
    store.extendLease(db, { ...lease, until: addMs(now(), leaseMs) }).catch((error: unknown) => {
      log.warn({ task: lease.name, error: String(error) }, 'lease of a scheduled task not extended');
    });
  const timer = setInterval(() => void extend(), leaseMs / 3);
  return () => clearInterval(timer);
}

/** While the database is away, the end of a task waits to be recorded. */
async function record(parts: TaskParts, lease: store.Lease, end: store.TaskEnd, signal: AbortSignal): Promise<void> {
  try {
    await store.endLease(parts.db, lease, end);
  } catch (error) {
    if (!isUnavailable(error) || signal.aborted) throw error;
    await pause(RECORD_AGAIN_MS, signal);
    await record(parts, lease, end, signal);
  }
}

function nextTime(cron: string, after: Date): Date {
  const next = new Cron(cron, { timezone: 'UTC' }).nextRun(after);
  if (!next) throw new Error(`the schedule ${cron} has no time after ${after.toISOString()}`);
  return next;
}

function addMs(at: Date, ms: number): Date {
  return new Date(at.getTime() + ms);
}
