import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import { LEAF_HASH } from '../../../platform/journal/leaf.ts';

/** A place in the ledger, and the entry of the journal that is there. */
export interface LedgerRow {
  readonly index: number;
  readonly lane: number;
  readonly position: number;
  readonly entry_seq: number;
  readonly entry_id: string;
  readonly subject_id: string | null;
  readonly leaf_hash: Buffer;
  /** The members of the entry are null if the journal does not have it. */
  readonly computed_hash: Buffer | null;
  readonly journal_id: string | null;
  readonly type: string;
  readonly kind: string;
  readonly subject: string;
  readonly subject_seq: number;
  readonly actor_name: string;
  readonly actor_digest: Buffer | null;
  readonly payload: string | null;
  readonly nonce: Buffer | null;
  readonly payload_digest: Buffer;
  readonly is_exact: boolean;
}

/** Places from an index on, in their order. */
export async function readLedgerPage(db: Db, org: string, from: number, limit: number): Promise<LedgerRow[]> {
  const { rows } = await sql<LedgerRow>`
    select ledger.index, ledger.lane, ledger.position, ledger.entry_seq, ledger.entry_id, ledger.subject_id,
      ledger.leaf_hash, ${sql.raw(LEAF_HASH)} as computed_hash, journal.id as journal_id, journal.type,
      journal.subject_kind as kind, journal.subject_id as subject, journal.subject_seq, journal.actor_name,
      journal.actor_digest, journal.payload, journal.nonce, journal.payload_digest,
      journal.recorded_at = date_trunc('milliseconds', journal.recorded_at) as is_exact
    from (
      select * from ledger where org_id = ${org} and index >= ${from} order by index, position limit ${limit}
    ) as ledger
    left join journal on journal.org_id = ${org} and journal.org_id = ledger.org_id and journal.seq = ledger.entry_seq
    order by ledger.index, ledger.position`.execute(db);
  return rows;
}

export interface Predecessor {
  readonly kind: string;
  readonly subject: string;
  readonly subject_seq: number;
}

/** The last entry about each of these subjects before a number. */
export async function listPredecessors(
  db: Db,
  org: string,
  subjects: readonly { readonly kind: string; readonly subject: string; readonly entry_seq: number }[],
): Promise<Predecessor[]> {
  if (subjects.length === 0) return [];
  const { rows } = await sql<Predecessor>`
    select asked.kind, asked.subject, earlier.subject_seq
    from unnest(${subjects.map(({ kind }) => kind)}::text[], ${subjects.map(({ subject }) => subject)}::uuid[],
      ${subjects.map(({ entry_seq }) => entry_seq)}::bigint[]) as asked (kind, subject, entry_seq)
    cross join lateral (
      select journal.subject_seq
      from ledger join journal on journal.org_id = ledger.org_id and journal.seq = ledger.entry_seq
      where ledger.org_id = ${org} and ledger.subject_id = asked.subject and ledger.entry_seq < asked.entry_seq
        and journal.org_id = ${org} and journal.subject_kind = asked.kind
      order by ledger.entry_seq desc limit 1
    ) as earlier`.execute(db);
  return rows;
}

/** Those of the subjects about which there is no entry after a number. */
export async function listFinished(
  db: Db,
  org: string,
  subjects: readonly string[],
  lastSeq: number,
): Promise<string[]> {
  const { rows } = await sql<{ subject: string }>`
    select subject from unnest(${subjects}::uuid[]) as subject
    where not exists (
      select from ledger where org_id = ${org} and subject_id = subject and entry_seq > ${lastSeq})`.execute(db);
  return rows.map(({ subject }) => subject);
}

/** The entries that other entries about them, or about the same subjects, say were erased. */
export async function listErased(
  db: Db,
  org: string,
  entries: readonly Pick<LedgerRow, 'entry_id' | 'subject'>[],
): Promise<Set<string>> {
  if (entries.length === 0) return new Set();
  const subjects = entries.flatMap(({ entry_id, subject }) => [entry_id, subject]);
  const { rows } = await sql<{ type: string; subject: string; entry_ids: readonly string[] | null }>`
    select journal.type, journal.subject_id as subject, readable_json(journal.payload) -> 'entry_ids' as entry_ids
    from ledger join journal on journal.org_id = ledger.org_id and journal.seq = ledger.entry_seq
    where ledger.org_id = ${org} and ledger.subject_id = any(${subjects}::uuid[]) and journal.org_id = ${org}
      and journal.type in ('journal.erased', 'attestation.erased')`.execute(db);
  return new Set(
    rows.flatMap(({ type, subject, entry_ids }) => (type === 'journal.erased' ? [subject] : (entry_ids ?? []))),
  );
}
