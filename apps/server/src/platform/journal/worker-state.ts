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

/** Reads one entry for each lane of each processor at most. */
export async function readWorkerState(db: Db): Promise<WorkerState> {
  const { rows } = await sql<{ workers: number; lag: number }>`
    select (select count(*) from worker where alive_until > now()) as workers,
      (
        select coalesce(extract(epoch from now() - min(entry.recorded_at)), 0)::float8
        from processor_position as position cross join lateral (
          select org_id, recorded_at from journal
          where lane = position.lane and (xid, seq) > (position.xid, position.seq)
          order by xid, seq limit 1
        ) as entry
      ) as lag`.execute(db);
  const [{ workers, lag } = { workers: 0, lag: 0 }] = rows;
  return { workers, lagSeconds: Math.max(0, lag) };
}
