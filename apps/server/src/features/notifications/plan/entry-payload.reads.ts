import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { Entry } from '../../../platform/journal/processor.ts';

/** By their numbers in the journal, which has no index of ids. Erased payloads are missing. */
export async function readPayloads(db: Db, org: string, entries: readonly Entry[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; payload: string }>`
    select journal.id, journal.payload
    from unnest(${entries.map(({ seq }) => seq)}::bigint[]) as entry (seq)
    join journal on journal.org_id = ${org} and journal.seq = entry.seq
    where journal.payload is not null`.execute(db);
  return new Map(rows.map(({ id, payload }) => [id, payload]));
}
