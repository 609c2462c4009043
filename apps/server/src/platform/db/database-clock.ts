import { sql } from 'kysely';
import type { Logger } from '../log.ts';
import { pause } from '../pause.ts';
import type { Db } from './db.ts';

const READ_AGAIN_MS = 10_000;
const RETRY_MS = 250;

/**
 * Returns the clock of the database, so that workers on machines with different clocks agree on which leases have
 * expired. It is read every 10 seconds and advanced by a monotonic clock in between, until the signal is aborted.
 */
export async function followDatabaseClock(parts: { db: Db; log: Logger; signal: AbortSignal }): Promise<() => Date> {
  const { db, log, signal } = parts;
  let offset: number | undefined;

  async function read(): Promise<void> {
    const asked = performance.now();
    const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
    const answered = performance.now();
    if (rows[0]) offset = rows[0].now.getTime() - (asked + answered) / 2;
  }

  async function readOrWait(): Promise<void> {
    await read().catch((error: unknown) => log.warn({ error: String(error) }, 'clock of the database not read'));
  }

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      await pause(READ_AGAIN_MS, signal);
      if (!signal.aborted) await readOrWait();
    }
  }

  await readOrWait();
  while (offset === undefined && !signal.aborted) {
    await pause(RETRY_MS, signal);
    await readOrWait();
  }
  void follow();
  return () => new Date(performance.now() + (offset ?? performance.timeOrigin));
}
