import { pino } from 'pino';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { noLog, startApi } from '../../../test/harness.ts';
import { openDb } from '../db/db.ts';
import { runDueTask, scheduleTasks, type TaskParts } from './run-due-task.ts';
import { runTasks } from './run-tasks.ts';
import type { Task } from './task.ts';

const api = await startApi();
const never = new AbortController().signal;
const minutely = '* * * * *';
const hourly = '30 * * * *';

const at = (time: string) => new Date(`2026-11-18T${time}Z`);

function partsOf(...tasks: Task[]): TaskParts {
  return { db: api.db, tasks, log: noLog, now: () => api.clock.now };
}

/** A task that counts its runs, and does what it is given to do in them. */
function counted(cron: string, work: () => Promise<void> | void = () => undefined, name = 'count') {
  const task = {
    name,
    cron,
    runs: 0,
    async run() {
      task.runs++;
      await work();
    },
  };
  return task;
}

function rowOf(name: string) {
  return api.db.selectFrom('scheduled_task').selectAll().where('name', '=', name).executeTakeFirstOrThrow();
}

/** Runs whatever is due at this time, and returns how many tasks that were. */
async function runAllAt(time: string, parts: TaskParts): Promise<number> {
  api.clock.now = at(time);
  let runs = 0;
  while (await runDueTask(parts, never)) runs++;
  return runs;
}

beforeEach(async () => {
  await api.db.deleteFrom('scheduled_task').execute();
  api.clock.now = at('10:00:00');
});

it('runs a task at each of its times, and not before the first', async () => {
  const task = counted(hourly);
  const parts = partsOf(task);
  await scheduleTasks(parts);
  expect(await runAllAt('10:29:59', parts)).toBe(0);
  expect(await runAllAt('10:30:00', parts)).toBe(1);
  expect(await runAllAt('11:29:59', parts)).toBe(0);
  expect(await runAllAt('11:30:10', parts)).toBe(1);
  expect(await rowOf('count')).toMatchObject({ due_at: at('12:30:00'), ended_at: at('11:30:10'), failures: 0 });
});

it('makes up once for times that passed while no worker ran', async () => {
  const task = counted(minutely);
  const parts = partsOf(task);
  await scheduleTasks(parts);
  api.clock.now = at('13:00:20');
  await scheduleTasks(parts);
  expect(await runAllAt('13:00:20', parts)).toBe(1);
  expect(await runAllAt('13:01:00', parts)).toBe(1);
});

it('makes up for a time that passed while the task ran', async () => {
  const task = counted(minutely, () => {
    api.clock.now = at('10:02:30');
  });
  const parts = partsOf(task);
  await scheduleTasks(parts);
  api.clock.now = at('10:01:00');
  await runDueTask(parts, never);
  expect(await rowOf('count')).toMatchObject({ due_at: at('10:02:00'), ended_at: at('10:02:30') });
});

it('moves a task forward whose new schedule is denser, and no task back', async () => {
  await scheduleTasks(partsOf(counted(hourly)));
  await scheduleTasks(partsOf(counted(minutely)));
  expect(await rowOf('count')).toMatchObject({ due_at: at('10:01:00') });
  await scheduleTasks(partsOf(counted(hourly)));
  expect(await rowOf('count')).toMatchObject({ due_at: at('10:01:00') });
});

it('leaves tasks alone that it does not know, as workers of another version have', async () => {
  await scheduleTasks(partsOf(counted(minutely, undefined, 'of another version')));
  expect(await runAllAt('10:05:00', partsOf(counted(minutely)))).toBe(0);
});

it('runs each due time once, however many workers share the schedule', async () => {
  const tasks = Array.from({ length: 6 }, (_, i) => counted(minutely, undefined, `task ${i}`));
  const parts = partsOf(...tasks);
  await scheduleTasks(parts);
  for (const time of ['10:01:00', '10:02:00', '10:03:00']) {
    await Promise.all(Array.from({ length: 5 }, () => runAllAt(time, parts)));
  }
  expect(tasks.map(({ runs }) => runs)).toEqual([3, 3, 3, 3, 3, 3]);
});

describe('a task that fails', () => {
  const fail = () => {
    throw new Error('no luck');
  };

  it('runs again after a delay that grows, and at its next time at the latest', async () => {
    const task = counted(hourly, fail);
    const parts = partsOf(task);
    await scheduleTasks(parts);
    const delays: number[] = [];
    api.clock.now = at('10:30:00');
    for (let failures = 1; failures <= 6; failures++) {
      const before = api.clock.now;
      await runDueTask(parts, never);
      const row = await rowOf('count');
      expect(row).toMatchObject({ failures, last_error: 'no luck', holder: null, leased_until: null });
      delays.push(Math.round((row.due_at.getTime() - before.getTime()) / 1000));
      api.clock.now = row.due_at;
    }
    expect(delays).toEqual([3, 7, 20, 55, 148, 403]);
    api.clock.now = at('11:29:59');
    await runDueTask(parts, never);
    expect(await rowOf('count')).toMatchObject({ due_at: at('11:30:00'), failures: 7 });
  });

  it('is logged, holds up no other, and is as good as new once it succeeds', async () => {
    const lines: { msg: string }[] = [];
    const log = pino({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) });
    let isBroken = true;
    const broken = counted(minutely, () => (isBroken ? fail() : undefined), 'broken');
    const sound = counted(minutely, undefined, 'sound');
    const parts = { ...partsOf(broken, sound), log };
    await scheduleTasks(parts);
    expect(await runAllAt('10:01:00', parts)).toBe(2);
    expect(lines).toEqual([
      expect.objectContaining({ msg: 'scheduled task failed', task: 'broken', failures: 1, error: 'no luck' }),
    ]);
    isBroken = false;
    expect(await runAllAt('10:01:03', parts)).toBe(1);
    expect(await rowOf('broken')).toMatchObject({ failures: 0, last_error: null, due_at: at('10:02:00') });
  });
});

describe('a worker that is gone', () => {
  it('loses its task to another one when the lease ends, and has no say in it any more', async () => {
    const hanging = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const lost = counted(minutely, () => {
      begun.resolve();
      return hanging.promise;
    });
    const parts = partsOf(lost);
    await scheduleTasks(parts);
    api.clock.now = at('10:01:00');
    const first = runDueTask(parts, never);
    await begun.promise;

    const taken = counted(minutely);
    expect(await runAllAt('10:01:59', partsOf(taken))).toBe(0);
    expect(await runAllAt('10:02:00', partsOf(taken))).toBe(1);
    const row = await rowOf('count');
    hanging.reject(new Error('too late'));
    await first;
    expect(await rowOf('count')).toEqual(row);
  });

  it('keeps its task while it lives, however long that takes', async () => {
    const hanging = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const slow = counted(minutely, () => {
      begun.resolve();
      return hanging.promise;
    });
    const parts = { ...partsOf(slow), leaseMs: 60 };
    await scheduleTasks(parts);
    api.clock.now = at('10:01:00');
    const running = runDueTask(parts, never);
    await begun.promise;
    api.clock.now = at('10:30:00');
    const until = async () => (await rowOf('count')).leased_until?.getTime();
    await expect.poll(until, { timeout: 60_000, interval: 10 }).toBe(at('10:30:00').getTime() + 60);
    hanging.resolve();
    await running;
    expect(await rowOf('count')).toMatchObject({ due_at: at('10:02:00'), holder: null });
  });
});

it('runs tasks in two workers until it is told to stop, and lets what runs come to its end', async () => {
  const dbs = [1, 2].map(() => openDb({ url: api.url, poolSize: 2, statementTimeoutMs: 30_000 }, noLog));
  onTestFinished(() => void Promise.all(dbs.map((db) => db.destroy())));
  const stopping = new AbortController();
  const ended: string[] = [];
  const tasks = Array.from({ length: 8 }, (_, i) => counted(minutely, () => void ended.push(`task ${i}`), `task ${i}`));
  const hanging = Promise.withResolvers<void>();
  const last = counted(
    minutely,
    async () => {
      stopping.abort();
      await hanging.promise;
      ended.push('last');
    },
    'last',
  );
  const workers = dbs.map((db) => runTasks({ ...partsOf(...tasks), db }, stopping.signal, 20));
  await expect.poll(() => api.db.selectFrom('scheduled_task').select('name').execute()).toHaveLength(8);
  api.clock.now = at('10:01:00');
  await expect.poll(() => ended.toSorted()).toEqual(tasks.map(({ name }) => name));

  workers.push(runTasks(partsOf(last), stopping.signal, 20));
  await expect.poll(() => rowOf('last').catch(() => undefined)).toBeDefined();
  api.clock.now = at('10:02:00');
  await expect.poll(() => last.runs).toBe(1);
  hanging.resolve();
  await Promise.all(workers);
  expect(ended).toContain('last');
});
