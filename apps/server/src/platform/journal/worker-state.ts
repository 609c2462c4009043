import { sql } from 'kysely';
import type { Db } from '../db/db.ts';

/** Workers that keep up need a second or two. */
export const LATE_AFTER_SECONDS = 60;

export interface WorkerState {
  /** How many workers sent a heartbeat lately. */
  readonly workers: number;
  /** The age of the oldest journal entry that some processor has not applied yet; 0 if there is none. */
  readonly lagSeconds: number;
}

/** Reads one entry for each lane of each processor at most, and the oldest that has no place in the order yet. */
export async function readWorkerState(db: Db): Promise<WorkerState> {
  const { rows } = await sql<{ workers: number; lag: number }>`
    select (select count(*) from worker where alive_until > now()) as workers,
      coalesce(extract(epoch from now() - least(
        (
          select min(entry.recorded_at) from processor_position as reached cross join lateral (
            select journal.recorded_at from ledger
            join journal on journal.org_id = ledger.org_id and journal.seq = ledger.entry_seq
            where ledger.lane = reached.lane and ledger.position > reached.position
            order by ledger.position limit 1
          ) as entry
        ), (
          select min(recorded_at) from (
            select org_id, recorded_at from journal where seq > (select high_water from sequencer) order by seq limit 100
          ) as unsequenced
        )
      )), 0)::float8 as lag`.execute(db);
  const [{ workers, lag } = { workers: 0, lag: 0 }] = rows;
  return { workers, lagSeconds: Math.max(0, lag) };
}
