import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import type { Logger } from '../log.ts';
import { pause } from '../pause.ts';

const STANDBY_MS = 1_000;
/** How long a leader that hangs keeps the lock, while its connection stays open. Longer than a leader waits for NATS. */
const LEADER_IDLE_MS = 15_000;

interface LeaderParts {
  readonly db: Db;
  /** The advisory lock that lets one process of the database lead. */
  readonly lock: number;
  /** As it is named in the log. */
  readonly name: string;
  /** Works until the signal is given, with the connection that holds the lock. */
  readonly lead: (db: Db) => Promise<void>;
  /** Whether this process can lead now; always unless given. */
  readonly isReady?: () => boolean;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/**
 * Leads while no other process does, and waits to lead while another one does. Lock and work use one connection: a leader
 * that has lost its lock can no longer write either.
 */
export async function runLeader(parts: LeaderParts): Promise<void> {
  const { db, name, log, signal, isReady = () => true } = parts;
  while (!signal.aborted) {
    try {
      if (isReady()) await db.connection().execute((connection) => tryToLead(parts, connection));
    } catch (error) {
      if (!signal.aborted) log.warn({ error: String(error) }, `${name} stopped, will start again`);
    }
    await pause(STANDBY_MS, signal);
  }
}

async function tryToLead({ lock, name, lead, log }: LeaderParts, db: Db): Promise<void> {
  const { rows } = await sql<{ won: boolean }>`select pg_try_advisory_lock(${lock}) as won`.execute(db);
  if (!rows[0]?.won) return;
  try {
    await sql`set idle_session_timeout = ${sql.lit(LEADER_IDLE_MS)}`.execute(db);
    await planOnce(db);
    log.info(`${name} leads`);
    await lead(db);
  } finally {
    await resign(db, lock).catch(() => undefined);
  }
}

/** Planning each statement of a leader for its parameters would look at every range of the journal, each time. */
export async function planOnce(db: Db): Promise<void> {
  await sql`set plan_cache_mode = force_generic_plan`.execute(db);
}

async function resign(db: Db, lock: number): Promise<void> {
  await sql`reset idle_session_timeout`.execute(db);
  await sql`reset plan_cache_mode`.execute(db);
  await sql`select pg_advisory_unlock(${lock})`.execute(db);
}
