import { pollLoop } from './poll-loop.ts';
import { runDueTask, scheduleTasks, type TaskParts } from './run-due-task.ts';
import { findNextDue } from './scheduled-task.store.ts';

/** Tasks that one worker runs at once. */
const MAX_CONCURRENT = 2;
/** How often the schedule is read at least, as a task may have failed elsewhere or an operator may have made one due. */
const POLL_MS = 5_000;
/** How often it is read at most: what is due may just be leased by another worker. */
const LEAST_WAIT_MS = 100;

/**
 * Runs tasks when they are due, until the signal is given, and those that run then to their end. Workers share one
 * schedule: each due time of a task is served by one of them. The times that pass while no worker runs are made up for by
 * one run.
 */
export async function runTasks(parts: TaskParts, signal: AbortSignal, pollMs = POLL_MS): Promise<void> {
  const { db, tasks, log, now } = parts;
  const names = tasks.map(({ name }) => name);
  let isScheduled = false;

  async function turn(): Promise<number> {
    if (!isScheduled) await scheduleTasks(parts);
    isScheduled = true;
    if (await runDueTask(parts, signal)) return 0;
    const next = await findNextDue(db, names);
    const waitMs = next ? next.getTime() - now().getTime() : pollMs;
    return Math.min(pollMs, Math.max(LEAST_WAIT_MS, waitMs));
  }

  const loop = { turn, pollMs, log, failure: 'scheduled tasks not run' };
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, () => pollLoop(loop, signal)));
}
