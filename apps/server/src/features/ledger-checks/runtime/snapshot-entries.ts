import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { OnDifference } from '../difference.ts';
import { orMalformed } from '../malformed.ts';
import type { LedgerRow } from '../order/ledger-page.ts';
import { recordedPayload, toEntry } from '../records/subject-entries.ts';
import { compareSnapshot, type SnapshotEntry } from './compare-snapshots.ts';

/** Compares the snapshots whose last entry is in a page of the ledger. */
export async function compareSnapshots(
  db: Db,
  org: string,
  rows: readonly LedgerRow[],
  onDifference: OnDifference,
): Promise<void> {
  for (const row of rows) {
    if (row.type !== 'snapshot.recorded' || row.payload === null) continue;
    const { part, parts }: Parts = recordedPayload(row) ?? {};
    if (!Number.isSafeInteger(parts) || part === undefined || part !== parts) continue;
    const entries = await listParts(db, org, row, parts);
    if (entries.length !== parts || !entries.every(({ payload }) => Number.isSafeInteger(payload.index))) continue;
    await orMalformed({ org, id: row.entry_id, index: row.index, type: row.type }, onDifference, () =>
      compareSnapshot(db, org, entries, onDifference),
    );
  }
}

interface Parts {
  readonly part?: number;
  readonly parts?: number;
}

/** A long difference is in several consecutive entries. */
async function listParts(db: Db, org: string, last: LedgerRow, parts: number): Promise<SnapshotEntry[]> {
  const { rows } = await sql<Parameters<typeof toEntry>[0]>`
    select journal.id, ledger.index, journal.seq, journal.type, journal.recorded_at, journal.actor_id, journal.actor_name,
      journal.subject_kind, journal.subject_id, journal.subject_seq, journal.payload, journal.nonce,
      journal.payload_digest
    from ledger join journal on journal.org_id = ledger.org_id and journal.seq = ledger.entry_seq
    where ledger.org_id = ${org} and ledger.subject_id = ${last.subject} and ledger.entry_seq <= ${last.entry_seq}
      and journal.org_id = ${org}
    order by ledger.entry_seq desc limit ${parts}`.execute(db);
  return rows.reverse().flatMap((row) => {
    const { index, subject, at, actorName, payload } = toEntry(row);
    if (payload === null || index === null) return [];
    return [{ ledgerIndex: index, environment: subject, at, actorName, payload: payload as never }];
  });
}
