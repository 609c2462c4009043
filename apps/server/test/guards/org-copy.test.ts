import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { COPIED_TABLES, NOT_COPIED_TABLES, ruleOf } from '../../src/features/org-copies/copied-tables.ts';
import { startApi } from '../harness.ts';

const api = await startApi();

it('every table with rows of an org is copied with the org, or listed with the reason why not', async () => {
  const { rows } = await sql<{ name: string }>`
    select distinct relname as name from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and attname = 'org_id' and not attisdropped`.execute(api.db);
  const decided = [...Object.keys(COPIED_TABLES), ...Object.keys(NOT_COPIED_TABLES)].filter((name) => name !== 'org');
  expect(decided.toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});

/** What the database numbers, and what becomes of the number in a copy. */
const NUMBERED = {
  'approval.receipt': 'kept',
  'artifact.receipt': 'kept',
  'attestation.receipt': 'kept',
  'delivery.place': 'drawn again',
  'environment_reevaluation.request': 'drawn again',
  'trail.receipt': 'kept',
  'trail_event.receipt': 'kept',
};

it('of every number that a copied table draws from a sequence it is known what becomes of it', async () => {
  const { rows } = await sql<{ table: string; column: string; is_identity: boolean }>`
    select relname as table, attname as column, attidentity <> '' as is_identity
    from pg_class join pg_attribute on attrelid = pg_class.oid
    left join pg_attrdef on adrelid = attrelid and adnum = attnum and attgenerated = ''
    where relnamespace = 'public'::regnamespace and relname = any(${Object.keys(COPIED_TABLES)}::text[]) and attnum > 0
      and (attidentity <> '' or pg_get_expr(adbin, adrelid) like 'nextval(%')`.execute(api.db);
  const found = rows.map(({ table, column, is_identity }) => [
    `${table}.${column}`,
    is_identity || ruleOf(table).redrawn?.includes(column) ? 'drawn again' : 'kept',
  ]);
  expect(Object.fromEntries(found)).toEqual(NUMBERED);
});

it('a table of an org refers to rows of the region only where the copy adds them', async () => {
  const { rows } = await sql<{ name: string; parent: string }>`
    select child.relname as name, parent.relname as parent from pg_constraint
    join pg_class as child on child.oid = conrelid join pg_class as parent on parent.oid = confrelid
    where contype = 'f' and child.relname = any(${Object.keys(COPIED_TABLES)}::text[])
      and parent.relname <> all(${Object.keys(COPIED_TABLES)}::text[])`.execute(api.db);
  expect(rows).toEqual([{ name: 'api_key', parent: 'user_account' }]);
});
