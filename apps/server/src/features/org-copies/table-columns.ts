import { sql } from 'kysely';
import type { Db } from '../../platform/db/db.ts';
import { COPIED_TABLES, ruleOf } from './copied-tables.ts';

export interface CopiedColumns {
  readonly table: string;
  /** All that a row is inserted with. */
  readonly columns: readonly string[];
}

/** Lists the tables to copy, each after those that its foreign keys refer to. */
export async function listCopied(db: Db): Promise<CopiedColumns[]> {
  const names = Object.keys(COPIED_TABLES);
  const { rows } = await sql<{ name: string; columns: string[]; parents: string[] }>`
    select relname as name,
      array(
        select attname::text from pg_attribute
        where attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''
        order by attnum
      ) as columns,
      array(
        select parent.relname::text from pg_constraint join pg_class as parent on parent.oid = confrelid
        where conrelid = pg_class.oid and contype = 'f' and confrelid <> conrelid
      ) as parents
    from pg_class where relnamespace = current_schema()::regnamespace and relname = any(${names}::text[])`.execute(db);
  const known = new Map(rows.map((row) => [row.name, row]));
  const ordered = new Set<string>();
  const add = (name: string) => {
    if (ordered.has(name)) return;
    for (const parent of known.get(name)?.parents ?? []) if (known.has(parent)) add(parent);
    ordered.add(name);
  };
  for (const name of names) add(name);
  return [...ordered].map((table) => ({
    table,
    columns: (known.get(table)?.columns ?? []).filter((column) => !ruleOf(table).redrawn?.includes(column)),
  }));
}

/** What an entry of the journal is copied with. Its number and that it was imported belong to the target. */
export async function listEntryColumns(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select attname::text as name from pg_attribute
    where attrelid = 'journal'::regclass and attnum > 0 and not attisdropped and attname not in ('seq', 'is_imported')
    order by attnum`.execute(db);
  return rows.map(({ name }) => name);
}
