import { sql } from 'kysely';
import type { Db } from '../db/db.ts';

/** The newest signed head of the region log, as it goes to witnesses and to an authority for time stamps. */
export interface NewestCheckpoint {
  readonly epoch: number;
  readonly number: number;
  readonly size: number;
  readonly note: string;
  readonly signedAt: Date;
}

export async function readNewestCheckpoint(db: Db): Promise<NewestCheckpoint | undefined> {
  const { rows } = await sql<NewestCheckpoint>`
    select epoch, number, size, note, signed_at as "signedAt" from region_checkpoint
    order by epoch desc, number desc limit 1`.execute(db);
  return rows[0];
}
