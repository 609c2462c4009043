import type { Db } from '../../../platform/db/db.ts';
import { digestOf } from '../../../platform/journal/entry.ts';
import { laneOf } from '../../../platform/journal/lanes.ts';
import { actorDigest } from '../../../platform/journal/leaf.ts';
import type { OnDifference } from '../difference.ts';
import { type LedgerRow, listErased, listPredecessors } from './ledger-page.ts';

/** Where a comparison of the ledger has come to. */
export interface OrderPlace {
  /** The index that comes next. */
  readonly index: number;
  /** The position and the number of the entry before it. */
  readonly position: number;
  readonly seq: number;
}

/** Compares a page of the ledger with the journal, and returns where the next one begins. */
export async function comparePage(
  db: Db,
  org: string,
  place: OrderPlace,
  rows: readonly LedgerRow[],
  onDifference: OnDifference,
): Promise<OrderPlace> {
  let next = place;
  for (const row of rows) {
    compareOrder(org, next, row, onDifference);
    compareEntry(org, row, onDifference);
    next = { index: row.index + 1, position: row.position, seq: row.entry_seq };
  }
  const entries = rows.filter(({ journal_id }) => journal_id !== null);
  await compareCounters(db, org, entries, onDifference);
  await compareErasures(db, org, entries, onDifference);
  return next;
}

function compareOrder(org: string, expected: OrderPlace, row: LedgerRow, report: OnDifference): void {
  const about = { org, table: 'ledger', row: String(row.index), index: row.index };
  if (row.index > expected.index)
    report({ ...about, index: expected.index, column: null, says: `${missing(expected.index, row.index)} missing` });
  if (row.index < expected.index) report({ ...about, column: 'index', says: 'is there more than once' });
  if (row.position <= expected.position)
    report({ ...about, column: 'position', says: `is ${row.position}, after ${expected.position} before it` });
  if (row.lane !== laneOf(org))
    report({ ...about, column: 'lane', says: `is ${row.lane}, but the lane of the org is ${laneOf(org)}` });
}

function missing(from: number, to: number): string {
  return to - from === 1 ? `entry ${from} is` : `entries ${from} to ${to - 1} are`;
}

function compareEntry(org: string, row: LedgerRow, report: OnDifference): void {
  const { index, leaf_hash, computed_hash } = row;
  const ofLedger = { org, table: 'ledger', row: String(index), index };
  if (computed_hash === null || row.journal_id === null) {
    report({ ...ofLedger, table: 'journal', row: row.entry_id, column: null, says: 'is missing' });
    return;
  }
  const ofJournal = { org, table: 'journal', row: row.journal_id, index };
  if (row.journal_id !== row.entry_id)
    report({ ...ofLedger, column: 'entry_id', says: `is ${row.entry_id}, but the entry has id ${row.journal_id}` });
  if (row.subject !== row.subject_id)
    report({
      ...ofLedger,
      column: 'subject_id',
      says: `is ${row.subject_id}, but that of the entry is ${row.subject}`,
    });
  if (!leaf_hash.equals(computed_hash))
    report({ ...ofJournal, column: null, says: 'does not have the hash of its leaf in the ledger' });
  if (!row.is_exact) report({ ...ofJournal, column: 'recorded_at', says: 'is more exact than any that was recorded' });
  compareDigests(row, (column, says) => report({ ...ofJournal, column, says }));
}

function compareDigests(row: LedgerRow, report: (column: string, says: string) => void): void {
  const { payload, nonce, payload_digest } = row;
  if (payload === null || nonce === null) return;
  if (!digestOf(payload, nonce).equals(payload_digest)) report('payload', 'does not have the digest in its leaf');
  if (row.actor_digest && !row.actor_digest.equals(actorDigest(nonce, row.actor_name)))
    report('actor_digest', 'is not that of the actor');
}

/** The entries about a subject are numbered 1, 2, 3 … in their order. */
async function compareCounters(db: Db, org: string, rows: readonly LedgerRow[], report: OnDifference): Promise<void> {
  const first = new Map<string, LedgerRow>();
  for (const row of rows) {
    const subject = `${row.kind} ${row.subject}`;
    if (!first.has(subject)) first.set(subject, row);
  }
  const before = await listPredecessors(
    db,
    org,
    [...first.values()].filter(({ subject_seq }) => subject_seq > 1),
  );
  const counters = new Map(before.map(({ kind, subject, subject_seq }) => [`${kind} ${subject}`, subject_seq]));
  for (const { index, journal_id, kind, subject, subject_seq } of rows) {
    const last = counters.get(`${kind} ${subject}`) ?? 0;
    counters.set(`${kind} ${subject}`, subject_seq);
    if (subject_seq === last + 1) continue;
    const says = `is ${subject_seq}, but the entry about the same ${kind} before it has ${last}`;
    report({ org, table: 'journal', row: journal_id ?? '', column: 'subject_seq', index, says });
  }
}

/** What was erased has another entry that says so. */
async function compareErasures(db: Db, org: string, rows: readonly LedgerRow[], report: OnDifference): Promise<void> {
  const erased = rows.filter(({ nonce }) => nonce === null);
  const known = await listErased(db, org, erased);
  for (const { index, entry_id } of erased) {
    if (known.has(entry_id)) continue;
    report({ org, table: 'journal', row: entry_id, column: 'payload', index, says: 'was erased without an entry' });
  }
}
