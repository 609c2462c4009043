import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DOOR, OUTSIDE_THE_DOOR, tablesIn } from './region-tables/region-tables.ts';

const ROOT = join(import.meta.dirname, '../apps/server/src');

it('tables of the region are read and written by the features that own them, and by those listed', () => {
  const files = globSync('**/*.ts', { cwd: ROOT, exclude: ['**/*.test.ts'] });
  expect(files.length).toBeGreaterThan(500);
  const using = files.filter((file) => tablesIn(readFileSync(join(ROOT, file), 'utf8')).length > 0);
  const outside = using.filter((file) => !DOOR.some((path) => file.startsWith(path)));
  const listed = OUTSIDE_THE_DOOR.flatMap(({ files: some }) => some);
  expect(outside.sort()).toEqual([...listed].sort());
});

it.each([
  "db.selectFrom('user_account as person').select('id')",
  'sql`select 1 from membership join org on org.id = membership.org_id`',
  "statement('a', `update api_key as key set revoked_at = now()`)",
  'sql`delete from session where id = 1`',
])('is found: %s', (text) => {
  expect(tablesIn(text)).toHaveLength(1);
});

it('an import and a sentence are no use of a table', () => {
  expect(tablesIn("import { readOrg } from '../orgs/org.reads.ts';\n// The role comes from org and group.")).toEqual(
    [],
  );
});
