import { sql } from 'kysely';
import { pino } from 'pino';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createDatabase } from '../../../test/databases.ts';
import { type Db, openDb } from '../db/db.ts';
import { pause } from '../pause.ts';
import { runLeader } from './leader.ts';

const LOCK = 7_201_999;
const log = pino({ level: 'silent' });
const { url } = await createDatabase(inject('templateDatabase'));

/** Connections of its own, as each process has. */
function givenDb(): Db {
  const db = openDb({ url, poolSize: 2, statementTimeoutMs: 30_000 }, log);
  onTestFinished(() => db.destroy());
  return db;
}

interface Contender {
  readonly name: string;
  stop(): Promise<void>;
}

/** Contenders that use their connection all the time while they lead. */
function givenContenders() {
  const leading = new Map<string, number>();
  const most = { atOnce: 0 };
  const begin = (name: string): Contender => {
    const stopping = new AbortController();
    const { signal } = stopping;
    const running = runLeader({
      db: givenDb(),
      lock: LOCK,
      name,
      log,
      signal,
      async lead(db) {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
        leading.set(name, rows[0]?.pid ?? 0);
        most.atOnce = Math.max(most.atOnce, leading.size);
        try {
          while (!signal.aborted) {
            await sql`select 1`.execute(db);
            await pause(5, signal);
          }
        } finally {
          leading.delete(name);
        }
      },
    });
    const stop = async () => {
      stopping.abort();
      await running;
    };
    onTestFinished(stop);
    return { name, stop };
  };
  return { leading, most, begin };
}

it('lets one of two lead, and the other one as soon as the first has stopped', async () => {
  const { leading, most, begin } = givenContenders();
  const first = begin('first');
  await expect.poll(() => [...leading.keys()]).toEqual(['first']);
  begin('second');
  await first.stop();
  await expect.poll(() => [...leading.keys()]).toEqual(['second']);
  expect(most.atOnce).toBe(1);
});

it('stops leading when its connection is terminated, and one of them leads again', async () => {
  const { leading, begin } = givenContenders();
  const contenders = [begin('first'), begin('second')];
  await expect.poll(() => leading.size).toBe(1);
  const [[name, pid] = ['', 0]] = [...leading];
  const db = givenDb();
  await sql`select pg_terminate_backend(${pid}::integer)`.execute(db);
  await expect.poll(() => leading.get(name)).not.toBe(pid);
  await expect.poll(() => [...leading.values()].filter((one) => one !== pid)).toHaveLength(1);
  await contenders.find((one) => leading.has(one.name))?.stop();
  await expect.poll(() => leading.size).toBe(1);
});

it('gives the connection back without the lock and the timeout of a leader', async () => {
  const db = openDb({ url, poolSize: 1, statementTimeoutMs: 30_000 }, log);
  onTestFinished(() => db.destroy());
  const usual = await sql`show idle_session_timeout`.execute(db);
  const stopping = new AbortController();
  await runLeader({
    db,
    lock: LOCK,
    name: 'tests',
    log,
    signal: stopping.signal,
    async lead() {
      stopping.abort();
    },
  });
  expect((await sql`show idle_session_timeout`.execute(db)).rows).toEqual(usual.rows);
  const held = await sql`select from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`.execute(db);
  expect(held.rows).toEqual([]);
});
