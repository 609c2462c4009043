import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { startApi } from '../harness.ts';

const api = await startApi();
const SOURCE = join(import.meta.dirname, '../../src/platform/db/tables.ts');

/** Of the migration library, which keeps them for itself. */
const LIBRARY_TABLES = ['kysely_migration', 'kysely_migration_lock'];

interface Interface {
  readonly parent: string | undefined;
  readonly members: ReadonlyMap<string, string>;
}

/** Every interface of the file, with the types of its members as text. */
function interfacesIn(source: string): Map<string, Interface> {
  const found = source.matchAll(/interface (\w+)(?: extends (\w+))? \{\n(.*?)\n\}/gs);
  return new Map(
    Array.from(found, ([, name = '', parent, body = '']) => {
      const members = body.replaceAll(/\/\*\*.*?\*\//gs, '').matchAll(/^ {2}(\w+): (.*?);$/gms);
      return [name, { parent, members: new Map(Array.from(members, ([, key = '', type = '']) => [key, type])) }];
    }),
  );
}

function columnsOf(interfaces: Map<string, Interface>, name: string): [string, string][] {
  const { parent, members } = interfaces.get(name) ?? { parent: undefined, members: new Map() };
  return [...(parent === undefined ? [] : columnsOf(interfaces, parent)), ...members];
}

/** Whether a column may be read as null: what `ColumnType` says first, and other wrappers say alone. */
function isNullable(type: string): boolean {
  const read = /^ColumnType<\s*(.*)>$/s.exec(type)?.[1] ?? type;
  return /\|\s*null\b|\bnull\s*\|/.test(type === read ? type : firstOf(read));
}

function firstOf(list: string): string {
  let depth = 0;
  for (const [place, char] of list.split('').entries()) {
    if ('<{[('.includes(char)) depth++;
    else if ('>}])'.includes(char)) depth--;
    else if (char === ',' && depth === 0) return list.slice(0, place);
  }
  return list;
}

it('describes every table with its columns, and which of them may be null', async () => {
  const interfaces = interfacesIn(await readFile(SOURCE, 'utf8'));
  const described = columnsOf(interfaces, 'Tables').flatMap(([table, type]) =>
    columnsOf(interfaces, type).map(([column, read]) => `${table}.${column}${isNullable(read) ? ' null' : ''}`),
  );
  const { rows } = await sql<{ described: string }>`
    select class.relname || '.' || attname || case when attnotnull then '' else ' null' end as described
    from pg_class as class join pg_attribute on attrelid = class.oid and attnum > 0 and not attisdropped
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
      and class.relname <> all(${LIBRARY_TABLES}::text[])`.execute(api.db);
  expect(described.length).toBeGreaterThan(100);
  expect(described.sort()).toEqual(rows.map((row) => row.described).sort());
});
