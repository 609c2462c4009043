import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { Entry } from '../../../platform/journal/processor.ts';

/** By their positions in the journal, which has no index of ids. Erased payloads are missing. */
export async function readPayloads(db: Db, org: string, entries: readonly Entry[]): Promise<Map<string, string>> {
  const times = entries.map(({ recorded_at }) => recorded_at.getTime());
  // Limits the partitions that are read; stored times are finer than a Date.
  const from = new Date(Math.min(...times) - 1);
  const to = new Date(Math.max(...times) + 1);
  const { rows } = await sql<{ id: string; payload: string }>`
    select journal.id, journal.payload
    from unnest(${entries.map(({ xid }) => xid)}::xid8[], ${entries.map(({ seq }) => seq)}::bigint[])
      as place (xid, seq)
    join journal on journal.org_id = ${org} and journal.xid = place.xid and journal.seq = place.seq
    where journal.recorded_at between ${from} and ${to} and journal.payload is not null`.execute(db);
  return new Map(rows.map(({ id, payload }) => [id, payload]));
}
