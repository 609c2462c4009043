import type { Ctx } from '../../platform/ctx.ts';
import { cutSized, LIST_MAX_BYTES, type SizedRow } from '../../platform/db/paginate.ts';
import { statement } from '../../platform/db/statement.ts';
import { ENTRY_OF_LEDGER } from '../../platform/journal/journal-range.ts';
import { seesAll } from '../activity/feed/entry-access.reads.ts';
import type { LedgerSubject } from './ledger-subject.reads.ts';
import { PROOF_FOR_ADMINS } from './proof-access.ts';

export interface LedgerEntryRow extends SizedRow {
  readonly index: number;
  readonly entry_seq: number;
  readonly type: string;
  readonly recorded_at: Date;
  readonly actor_name: string;
  readonly subject_kind: string;
  readonly subject_id: string;
  readonly is_erased: boolean;
  /** Null also if the page would be too large with it. */
  readonly payload: string | null;
}

export interface LedgerEntryPage {
  readonly entries: readonly LedgerEntryRow[];
  /** The number of the last entry in the journal, if there are more behind it. */
  readonly next: number | undefined;
}

interface Wanted extends Record<string, unknown> {
  readonly org_id: string;
  readonly before: number;
  /** One more than the page has. */
  readonly rows: number;
  readonly sees_all: boolean;
  readonly for_admins: string;
}

const MAY_BE_SEEN = '(:sees_all or journal.type !~ :for_admins)';

/** Planning one of them takes ten times as long as running it, so all are declared. */
function page(places: string): string {
  return `select index, entry_seq, id, type, recorded_at, actor_name, subject_kind, subject_id, is_erased,
     coalesce(bytes, 0) as bytes,
     case when sum(bytes) over (order by entry_seq desc) - bytes <= ${LIST_MAX_BYTES} then payload end as payload
   from (
     select ledger.index, ledger.entry_seq, journal.id, journal.type, journal.recorded_at, journal.actor_name,
       journal.subject_kind, journal.subject_id, journal.nonce is null as is_erased, journal.payload,
       octet_length(journal.payload) as bytes
     from (${places}) as ledger
     cross join lateral (${ENTRY_OF_LEDGER}) as journal
     where ${MAY_BE_SEEN}
     order by ledger.entry_seq desc limit :rows
   ) as found
   order by entry_seq desc`;
}

/** The org is compared as a text, so that no index of the org is preferred: all of its rows would be read. */
const listOne = statement<Wanted & { entry: string }, LedgerEntryRow>(
  'list_ledger_entry',
  page(`
     select ledger.org_id, ledger.index, ledger.entry_seq from ledger
     where ledger.entry_id = :entry and ledger.org_id::text = :org_id::uuid::text and ledger.entry_seq < :before`),
);

/** Of each subject as many as the page has, because any of them may have the newest. */
const listOfSubjects = statement<Wanted & { ids: readonly string[] }, LedgerEntryRow>(
  'list_ledger_entries_of_subjects',
  page(`
     select place.* from unnest(:ids::uuid[]) as subject (id)
     cross join lateral (
       select ledger.org_id, ledger.index, ledger.entry_seq from ledger
       cross join lateral (${ENTRY_OF_LEDGER}) as journal
       where ledger.org_id = :org_id and ledger.subject_id = subject.id and ledger.entry_seq < :before
         and ${MAY_BE_SEEN}
       order by ledger.entry_seq desc limit :rows
     ) as place`),
);

interface Moment extends Record<string, unknown> {
  readonly id: string;
  readonly type: string;
  readonly at: Date;
  readonly field: string;
  readonly number: number;
  readonly slack: string;
}

/** By the numbers that entries of the time can have. Of an erased entry, only the time is left. */
const listAtMoment = statement<Wanted & Moment, LedgerEntryRow>(
  'list_ledger_entries_at_moment',
  page(`
     select ledger.org_id, ledger.index, ledger.entry_seq from ledger
     cross join lateral (${ENTRY_OF_LEDGER}) as journal
     where ledger.org_id = :org_id and ledger.subject_id = :id and ledger.entry_seq < :before
       and ledger.entry_seq > coalesce(
         (select max(seq) from journal_tick where at <= :at::timestamptz - :slack::interval), 0)
       and ledger.entry_seq <= greatest((select last_seq from org_import where org_id = :org_id), coalesce(
         (select seq from journal_tick where at >= :at::timestamptz + :slack::interval order by at limit 1),
         9223372036854775807))
       and journal.type = :type and journal.recorded_at = :at::timestamptz
       and case when journal.payload is null then true
         else readable_json(journal.payload) ->> :field::text = :number::bigint::text end
     order by ledger.entry_seq desc limit :rows`),
);

/** The clocks of the servers are hardly ever further apart, and never as far as a day. */
const SLACKS = ['10 minutes', '1 day'];

/** Returns the sequenced entries about a subject that the caller may see, newest first. */
export async function listEntries(
  ctx: Ctx,
  subject: LedgerSubject,
  perPage: number,
  before = Number.MAX_SAFE_INTEGER,
): Promise<LedgerEntryPage> {
  const rows = await listRows(ctx, subject, {
    org_id: ctx.org,
    before,
    rows: perPage + 1,
    sees_all: seesAll(ctx),
    for_admins: PROOF_FOR_ADMINS.source,
  });
  const { shown, last } = cutSized(rows, perPage);
  return { entries: shown, next: last?.entry_seq };
}

async function listRows(
  { db }: Ctx,
  { entry, ids, only }: LedgerSubject,
  wanted: Wanted,
): Promise<readonly LedgerEntryRow[]> {
  if (entry !== undefined) return listOne(db, { ...wanted, entry });
  if (!only) return listOfSubjects(db, { ...wanted, ids });
  for (const slack of SLACKS) {
    const rows = await listAtMoment(db, { ...wanted, ...only, id: ids[0] ?? '', slack });
    if (rows.length > 0) return rows;
  }
  return [];
}
