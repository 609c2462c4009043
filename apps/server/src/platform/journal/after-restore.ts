import { sql } from 'kysely';
import type { Db } from '../db/db.ts';
import { conflict } from '../errors.ts';
import { isJournalAhead } from './restore-check.ts';

export interface Renumbered {
  readonly entries: number;
  /** Entries that were written after the restore. */
  readonly written: number;
}

/**
 * Renumbers the journal of a database that was restored into another cluster, so that every entry comes before every
 * new transaction. Positions keep their place among the restored entries, and entries written since the restore follow
 * them.
 */
export async function renumberAfterRestore(db: Db): Promise<Renumbered> {
  // Before the locks: workers that run could deadlock with them.
  await requireAhead(db);
  return db.transaction().execute(async (db) => {
    await sql`lock table journal, relay_cursor, processor_position, dead_letter`.execute(db);
    await requireAhead(db);
    await makePlaces(db);
    for (const table of ['relay_cursor', 'processor_position']) await movePositions(db, table);
    await sql`update processor_position set holder = null`.execute(db);
    await sql`
      update dead_letter as letter set xid = '0', seq = place.place from place
      where place.org_id = letter.org_id and place.xid = letter.xid and place.seq = letter.seq`.execute(db);
    await sql`
      update journal as entry set xid = '0', seq = place.place from place
      where place.org_id = entry.org_id and place.xid = entry.xid and place.seq = entry.seq`.execute(db);
    const { rows } = await sql<Renumbered>`
      select count(*) as entries, count(*) filter (where is_new) as written from place`.execute(db);
    return rows[0] ?? { entries: 0, written: 0 };
  });
}

async function requireAhead(db: Db): Promise<void> {
  if (await isJournalAhead(db)) return;
  throw conflict('after-restore is not needed: this PostgreSQL cluster is past every entry of the journal');
}

/**
 * An entry is new if this cluster wrote it: the transaction it names made its row, and the sequence was past every
 * entry that can only be from the other cluster. Places begin after those of an earlier run, so that no two rows share
 * one on the way.
 */
async function makePlaces(db: Db): Promise<void> {
  await sql`
    create temporary table place on commit drop as
    with border as materialized (
      select pg_snapshot_xmax(pg_current_snapshot()) as xid
    ), foreign_part as materialized (
      select max(seq) as last_seq from journal where xid >= (select xid from border)
    ), entry as (
      select org_id, lane, journal.xid, seq,
        journal.xid < border.xid and seq > foreign_part.last_seq
          and journal.xmin::text::numeric = journal.xid::text::numeric % 4294967296 as is_new
      from journal cross join border cross join foreign_part
    )
    select org_id, lane, xid, seq, is_new,
      row_number() over (order by is_new, xid, seq)
        + coalesce((select max(seq) from journal where xid = '0'), 0) as place
    from entry`.execute(db);
  await sql`create index on place (org_id, xid, seq)`.execute(db);
  await sql`create index on place (lane, xid, seq)`.execute(db);
  await sql`analyze place`.execute(db);
}

/** A position is past new entries only if it is at one of them, and no restored entry waits behind it. */
async function movePositions(db: Db, table: string): Promise<void> {
  await sql`
    update ${sql.table(table)} as reached set xid = '0', seq = coalesce((
      select place from place
      where lane = reached.lane and xid = reached.xid and seq = reached.seq and is_new and not exists (
        select from place as later
        where later.lane = reached.lane and not later.is_new and (later.xid, later.seq) > (reached.xid, reached.seq))
    ), (
      select max(place) from place
      where lane = reached.lane and not is_new and (xid, seq) <= (reached.xid, reached.seq)
    ), 0)`.execute(db);
}
