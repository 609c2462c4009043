import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { columnsIn } from '../../src/features/ledger-checks/covered/covered-table.ts';
import { COVERED_TABLES } from '../../src/features/ledger-checks/covered/covered-tables.ts';
import { UNCOVERED_TABLES } from '../../src/features/ledger-checks/covered/uncovered-tables.ts';
import { RECORD_KINDS } from '../../src/features/ledger-checks/records/record-kinds.ts';
import { startApi } from '../harness.ts';

const api = await startApi();

async function columnsOfOrgs(): Promise<Map<string, string[]>> {
  const { rows } = await sql<{ table_name: string; columns: string[] }>`
    select table_name, array_agg(column_name::text order by column_name) as columns from information_schema.columns
    where table_schema = 'public' and table_name not in (
      select inhrelid::regclass::text from pg_inherits)
    group by table_name
    having bool_or(column_name = 'org_id') or table_name = 'org'`.execute(api.owner);
  return new Map(rows.map(({ table_name, columns }) => [table_name, columns]));
}

it('every table with rows of an org is listed as covered by the ledger, or with the reason why not', async () => {
  const listed = [...Object.keys(COVERED_TABLES), ...Object.keys(UNCOVERED_TABLES)];
  expect(listed.toSorted()).toEqual([...(await columnsOfOrgs()).keys()].toSorted());
});

it('every column of a covered table is recorded, derived, or listed with the reason why it is neither', async () => {
  const columns = await columnsOfOrgs();
  for (const [table, { recorded, derived, open = {} }] of Object.entries(COVERED_TABLES)) {
    const listed = [...columnsIn(recorded), ...columnsIn(derived), ...Object.keys(open)];
    const present = (columns.get(table) ?? []).filter((column) => column !== 'org_id');
    expect([table, listed.toSorted()]).toEqual([table, present.toSorted()]);
  }
});

it('every table that entries are compared with is listed as covered', () => {
  const compared = [...RECORD_KINDS.values()].flatMap(({ tables }) => tables.map(({ table }) => table));
  expect(compared.filter((table) => !(table in COVERED_TABLES))).toEqual([]);
});
