import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { startApi } from '../harness.ts';
import { orgTablesOf, queryWithoutOrg } from '../org-queries.ts';

const api = await startApi();

interface Key {
  table: string;
  name: string;
  kind: 'primary key' | 'unique index' | 'foreign key';
  columns: string[];
}

/** Primary keys, unique indexes and foreign keys of all tables, partitions aside. */
async function keysOf(tables: readonly string[]): Promise<Key[]> {
  const { rows } = await sql<Key>`
    select class.relname as table, index.relname as name,
      case when indisprimary then 'primary key' else 'unique index' end as kind,
      array(select attname::text from unnest(indkey::smallint[]) with ordinality as part (number, place)
        join pg_attribute on attrelid = class.oid and attnum = part.number
        where place <= indnkeyatts order by place) as columns
    from pg_index join pg_class as class on class.oid = indrelid join pg_class as index on index.oid = indexrelid
    where indisunique and not class.relispartition and class.relname = any(${tables}::text[])
    union all
    select class.relname, conname, 'foreign key',
      array(select attname::text from unnest(conkey) as number join pg_attribute on attrelid = class.oid and attnum = number)
    from pg_constraint join pg_class as class on class.oid = conrelid
    where contype = 'f' and not class.relispartition and class.relname = any(${tables}::text[])`.execute(api.db);
  return rows;
}

function brokenKeys(tables: readonly string[], keys: readonly Key[]): string[] {
  const without = tables.filter((table) => !keys.some((key) => key.table === table && key.kind === 'primary key'));
  const broken = keys.filter((key) =>
    key.kind === 'primary key' ? key.columns[0] !== 'org_id' : !key.columns.includes('org_id'),
  );
  return [...without.map((table) => `${table} has no primary key`), ...broken.map((key) => `${key.kind} ${key.name}`)];
}

it("every key of an org's table begins with the org or contains it", async () => {
  const tables = await orgTablesOf(api.db);
  expect(tables).toContain('flow');
  expect(tables).toContain('journal');
  expect(brokenKeys(tables, await keysOf(tables))).toEqual([]);
});

it('notices a table that breaks the rule', async () => {
  await sql`create table canary (id uuid primary key, org_id uuid, name text unique)`.execute(api.db);
  const tables = await orgTablesOf(api.db);
  expect(brokenKeys(tables, await keysOf(tables))).toEqual(['primary key canary_pkey', 'unique index canary_name_key']);
  await sql`drop table canary`.execute(api.db);
});

it("notices a query on an org's table that does not name the org", () => {
  const tables = ['flow', 'flow_alias'];
  expect(queryWithoutOrg('select * from "flow" where "name" = $1', tables)).toBeDefined();
  expect(queryWithoutOrg('update flow set name = $1', tables)).toBeDefined();
  expect(queryWithoutOrg('select * from "flow" where "org_id" = $1', tables)).toBeUndefined();
  expect(queryWithoutOrg('select * from "org" where "name" = $1', tables)).toBeUndefined();
});
