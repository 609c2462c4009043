import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { startApi } from '../harness.ts';
import { createOrgCheck, orgTablesOf } from '../org-queries.ts';

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
  await sql`create table canary (id uuid primary key, org_id uuid, name text unique)`.execute(api.owner);
  const tables = await orgTablesOf(api.db);
  expect(brokenKeys(tables, await keysOf(tables))).toEqual(['primary key canary_pkey', 'unique index canary_name_key']);
  await sql`drop table canary`.execute(api.owner);
});

describe("the check of queries on an org's tables", () => {
  const withoutOrg = createOrgCheck(['flow', 'flow_alias', 'trail']);

  it.each([
    'select * from "flow" where "name" = $1',
    'update flow set name = $1',
    'select * from flow join trail on trail.flow_id = flow.id where flow.org_id = $1',
    'select * from "flow" as "f" inner join "trail" as "t" on "t"."flow_id" = "f"."id" where "f"."org_id" = $1',
    'select name from flow where org_id = $1 and exists (select from trail where flow_id = flow.id)',
    'delete from flow_alias using flow where flow.id = flow_alias.flow_id and flow_alias.org_id = $1',
    'insert into trail (org_id, name) select $1, name from flow',
  ])('notices that one forgets the org: %s', (text) => {
    expect(withoutOrg(text)).toBe(text);
  });

  it.each([
    'select * from "flow" where "org_id" = $1',
    'select * from "org" where "name" = $1',
    'select * from flow f join trail t on t.org_id = f.org_id and t.flow_id = f.id where f.org_id = $1',
    'select * from flow join trail using (org_id, flow_id)',
    'update flow as stored set name = $1 where stored.org_id = $2',
    'select * from flow_named($1)',
    'insert into flow select copy.* from (select * from flow where org_id = $1) as copy',
  ])('lets pass one that names it for each table: %s', (text) => {
    expect(withoutOrg(text)).toBeUndefined();
  });
});
