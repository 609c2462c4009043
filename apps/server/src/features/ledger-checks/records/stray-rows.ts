import { sql } from 'kysely';
import type { Db } from '../../../platform/db/db.ts';
import type { OnDifference } from '../difference.ts';
import { FIRST_UNSEQUENCED } from '../order/unsequenced.ts';
import type { Row } from './expected.ts';
import { keyOf, type RecordTable } from './record-kind.ts';
import { RECORD_KINDS } from './record-kinds.ts';

/** Tables with rows of subjects, in an order that stays. */
export const RECORD_TABLES: readonly RecordTable[] = [...RECORD_KINDS.values()].flatMap(({ tables }) => tables);

const PAGE = 2_000;
const NO_SUBJECT = '00000000-0000-0000-0000-000000000000';

/** Finds rows of a table about whose subject there is no entry at all. Each page reads a range of subjects. */
export async function findStrayRows(
  db: Db,
  org: string,
  table: RecordTable,
  onDifference: OnDifference,
): Promise<void> {
  for (let after: string | undefined = NO_SUBJECT; after !== undefined; ) {
    const found: readonly StrayRow[] = await readPage(db, org, table, after);
    for (const { row } of found) {
      if (row === null) continue;
      const about = { org, table: table.table, row: keyOf(table, row), column: null, index: null };
      onDifference({ ...about, says: 'exists, but no entry records it' });
    }
    after = found.at(-1)?.last ?? undefined;
  }
}

interface StrayRow {
  readonly row: Row | null;
  /** The last subject of the page; null if there is no other page. */
  readonly last: string | null;
}

async function readPage(db: Db, org: string, table: RecordTable, after: string): Promise<StrayRow[]> {
  const name = sql.id(table.table);
  const orgColumn = sql.id(table.orgColumn ?? 'org_id');
  const of = sql.id(table.of);
  const where = table.where ? sql`and ${sql.raw(table.where)}` : sql``;
  const { rows } = await sql<StrayRow>`
    with page as materialized (
      select distinct stored.${of} as id from ${name} as stored
      where stored.${orgColumn} = ${org} and stored.${of} > ${after}::uuid ${where} order by 1 limit ${PAGE}
    ), stray as (
      select page.id as stray_id from page
      where not exists (select from ledger where ledger.org_id = ${org} and ledger.subject_id = page.id)
        and not exists (
          select from journal
          where journal.org_id = ${org} and journal.seq > ${FIRST_UNSEQUENCED} and journal.subject_id = page.id)
    )
    select to_jsonb(stored) as row, null as last from ${name} as stored join stray on stored.${of} = stray_id
    where stored.${orgColumn} = ${org} ${where}
    union all
    select null, (select max(page.id::text) from page) where ${PAGE} = (select count(*) from page)`.execute(db);
  return rows;
}
