import { sql } from 'kysely';
import { type Db, type DbConfig, openDb } from '../db/db.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { pause } from '../pause.ts';

export const NEEDS_AFTER_RESTORE =
  "This database was restored into another PostgreSQL cluster, and nothing written to it is processed. Run 'waymark-server after-restore'.";

/** How soon a server notices that `waymark-server after-restore` has run. */
const POLL_MS = 1_000;

/** Knows whether the journal holds transaction ids that this PostgreSQL cluster has not assigned yet. */
export interface RestoreCheck {
  /** Asks the database again only if a connection was made or lost since the last answer, or if that answer was yes. */
  isAhead(): Promise<boolean>;
}

/** Opens the database together with a check that notices when connections lead to a restored copy of it. */
export function openCheckedDb(config: DbConfig, log: Logger): { db: Db; restore: RestoreCheck } {
  let connectionChanges = 0;
  const db = openDb({ ...config, onConnectionChange: () => connectionChanges++ }, log);
  return { db, restore: createRestoreCheck(db, log, () => connectionChanges) };
}

export function createRestoreCheck(db: Db, log: Logger, connectionChanges: () => number = () => 0): RestoreCheck {
  let last: { readonly ahead: boolean; readonly changes: number; readonly at: number } | undefined;
  let asking: Promise<boolean> | undefined;

  async function ask(): Promise<boolean> {
    const answer = await db.connection().execute(async (db) => ({
      changes: connectionChanges(),
      ahead: await isJournalAhead(db),
      at: performance.now(),
    }));
    if (answer.ahead && !last?.ahead) log.error(NEEDS_AFTER_RESTORE);
    if (!answer.ahead && last?.ahead) log.info('the journal is in order again');
    last = answer;
    return answer.ahead;
  }

  return {
    async isAhead() {
      if (last?.changes === connectionChanges()) {
        if (!last.ahead) return false;
        if (performance.now() < last.at + POLL_MS) return true;
      }
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return asking;
    },
  };
}

/**
 * Readers stop at the oldest running transaction, so they never reach an id that lies in the future of this cluster,
 * and they skip what is written with the lower ids in between. Draws no transaction id.
 */
export async function isJournalAhead(db: Db): Promise<boolean> {
  const { rows } = await sql<{ ahead: boolean }>`
    select exists (
      select from relay_cursor as of_lane cross join lateral (
        select org_id from journal
        where lane = of_lane.lane and xid >= pg_snapshot_xmax(pg_current_snapshot()) limit 1
      ) as entry
    ) as ahead`.execute(db);
  return rows[0]?.ahead === true;
}

/** Runs `work` until the signal is aborted, stops it while the journal is ahead, and restarts it afterwards. */
export async function runUnlessAhead(
  { restore, log, signal }: { restore: RestoreCheck; log: Logger; signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    if (await isAheadOrAway(restore, log)) {
      await pause(POLL_MS, signal);
      continue;
    }
    const stopping = new AbortController();
    const either = AbortSignal.any([signal, stopping.signal]);
    await Promise.all([work(either), stopWhenAhead(restore, stopping, either)]);
  }
}

async function isAheadOrAway(restore: RestoreCheck, log: Logger): Promise<boolean> {
  try {
    return await restore.isAhead();
  } catch (error) {
    log.warn({ error: String(error) }, 'worker waits for the database');
    return true;
  }
}

async function stopWhenAhead(restore: RestoreCheck, stopping: AbortController, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(POLL_MS, signal);
    // While the database is down, all work waits for it anyway.
    if (await restore.isAhead().catch(() => false)) stopping.abort();
  }
}

export function observeRestore(metrics: Metrics, restore: RestoreCheck): void {
  metrics.observe(
    'journal_ahead_of_cluster',
    '1 if the journal of a restored database waits for waymark-server after-restore',
    async () => [{ value: (await restore.isAhead()) ? 1 : 0, labels: {} }],
  );
}
