import { sql } from 'kysely';
import type { Db } from '../../db/db.ts';
import type { NewestCheckpoint } from '../newest-checkpoint.ts';

export interface NewestStamp {
  readonly epoch: number;
  readonly number: number;
  readonly stampedAt: Date;
}

export async function findNewestStamp(db: Db): Promise<NewestStamp | undefined> {
  const { rows } = await sql<NewestStamp>`
    select epoch, number, stamped_at as "stampedAt" from time_stamp
    order by epoch desc, number desc limit 1`.execute(db);
  return rows[0];
}

export interface StoredStamp {
  readonly token: Uint8Array;
  readonly at: Date;
  readonly authority: string;
}

export async function insertStamp(
  db: Db,
  { epoch, number }: NewestCheckpoint,
  { token, at, authority }: StoredStamp,
): Promise<void> {
  await sql`
    with stored as (
      insert into time_stamp (epoch, number, token, stamped_at, authority)
      values (${epoch}, ${number}, ${Buffer.from(token)}, ${at}, ${authority})
      on conflict do nothing returning number
    )
    update time_stamping set stamps = stamps + (select count(*) from stored), failed_at = null, error = null`.execute(
    db,
  );
}

export async function updateStampFailure(db: Db, error: string): Promise<void> {
  await sql`
    update time_stamping set failures = failures + 1, failed_at = clock_timestamp(), error = ${error}`.execute(db);
}
