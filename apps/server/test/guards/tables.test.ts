import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { tableTypes } from '../../../../tools/table-types/table-types.ts';
import { createDatabase, dropDatabases } from '../databases.ts';

const SOURCE = join(import.meta.dirname, '../../src/platform/db/tables.ts');

/** The types for a copy of the migrated database, after a change of it. */
async function typesAfter(change: string): Promise<string> {
  const { name, url } = await createDatabase(inject('templateDatabase'));
  onTestFinished(() => dropDatabases(name));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(change);
  await client.end();
  return tableTypes(url);
}

it('platform/db/tables.ts describes the migrated database', async () => {
  const source = await readFile(SOURCE, 'utf8');
  expect(await typesAfter('select 1'), 'run `pnpm generate`').toBe(source);
  expect(source.match(/^ {4}\w+: /gm)?.length).toBeGreaterThan(700);
});

it.each([
  ['alter table flow add column canary integer', '    canary: Fixed<number | null>;'],
  ["alter table flow add column canary text not null default ''", '    canary: Fixed<string, string | undefined>;'],
  ['alter table flow alter column description drop not null', '    description: string | null;'],
  ['create table canary (org_id uuid not null)', '  canary: {'],
  [
    "alter table flow drop constraint flow_visibility_check, add check (visibility in ('private', 'secret'))",
    "    visibility: 'private' | 'secret';",
  ],
])('notices a change of the database: %s', async (change, line) => {
  const types = (await typesAfter(change)).split('\n');
  expect(types).toContain(line);
  expect((await readFile(SOURCE, 'utf8')).split('\n')).not.toContain(line);
});

it('refuses what is said about a column that is gone', async () => {
  await expect(typesAfter('alter table tag rename column value to content')).rejects.toThrow(
    'names no columns: tag.value',
  );
});
