import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import { digestOf } from '../../../platform/journal/entry.ts';
import type { RecordEntry } from './entry.ts';

interface EntryRow {
  readonly id: string;
  readonly index: number | null;
  readonly seq: number;
  readonly type: string;
  readonly recorded_at: Date;
  readonly actor_id: string | null;
  readonly actor_name: string;
  readonly subject_kind: string;
  readonly subject_id: string;
  readonly subject_seq: number;
  readonly payload: string | null;
  readonly nonce: Buffer | null;
  readonly payload_digest: Buffer;
}

/** The entries about some subjects, oldest first. */
export async function listEntriesAbout(
  db: Db,
  org: string,
  subjects: readonly string[],
  without: readonly string[],
): Promise<RecordEntry[]> {
  const { rows } = await sql<EntryRow>`
    select journal.id, ledger.index, journal.seq, journal.type, journal.recorded_at, journal.actor_id, journal.actor_name,
      journal.subject_kind, journal.subject_id, journal.subject_seq, journal.payload, journal.nonce,
      journal.payload_digest
    from ledger join journal on journal.org_id = ledger.org_id and journal.seq = ledger.entry_seq
    where ledger.org_id = ${org} and ledger.subject_id = any(${subjects}::uuid[])
      and journal.org_id = ${org} and journal.type <> all(${without}::text[])
    order by journal.seq`.execute(db);
  return rows.map(toEntry);
}

export function toEntry(row: EntryRow): RecordEntry {
  return {
    id: row.id,
    index: row.index,
    seq: row.seq,
    type: row.type,
    at: row.recorded_at,
    actorId: row.actor_id,
    actorName: row.actor_name,
    kind: row.subject_kind,
    subject: row.subject_id,
    subjectSeq: row.subject_seq,
    payload: recordedPayload(row),
  };
}

interface StoredPayload {
  readonly payload: string | null;
  readonly nonce: Buffer | null;
  readonly payload_digest: Buffer;
}

/** Null once it is erased, and for one that does not have its digest, which is found elsewhere: it can be anything. */
export function recordedPayload({ payload, nonce, payload_digest }: StoredPayload): RecordEntry['payload'] {
  if (payload === null || nonce === null || !digestOf(payload, nonce).equals(payload_digest)) return null;
  try {
    const value: unknown = JSON.parse(payload);
    return typeof value === 'object' ? (value as RecordEntry['payload']) : null;
  } catch {
    return null;
  }
}
