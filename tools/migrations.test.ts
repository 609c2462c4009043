import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const OUTSIDE = '-- outside a transaction\n';

/** What squawk says about a migration, a line for each fault. */
function faultsIn(name: string, text: string): string[] {
  const { stdout, stderr, status } = spawnSync(
    join(ROOT, 'node_modules/.bin/squawk'),
    [
      ...['--reporter', 'gcc', '--stdin-filepath', name],
      ...(text.startsWith(OUTSIDE) ? [] : ['--assume-in-transaction']),
    ],
    { cwd: ROOT, encoding: 'utf8', input: text },
  );
  if (status === null || stderr !== '') throw new Error(`squawk did not run: ${stderr}`);
  return stdout.split('\n').filter((line) => line !== '');
}

it('migrations keep the rules of squawk', () => {
  const files = globSync('apps/server/migrations/*.sql', { cwd: ROOT }).sort();
  expect(files.length).toBeGreaterThan(10);
  expect(files.flatMap((file) => faultsIn(file, readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
});

describe('a migration is refused that', () => {
  it.each([
    [
      'locks a table while it builds an index',
      'create index canary on flow (name);',
      'require-concurrent-index-creation',
    ],
    [
      'adds a column that old servers do not fill',
      'alter table flow add column a text not null;',
      'adding-required-field',
    ],
    ['renames a column that old servers read', 'alter table flow rename column name to a;', 'renaming-column'],
    ['drops a column that old servers read', 'alter table flow drop column name;', 'ban-drop-column'],
    [
      'checks all rows under a lock',
      "alter table tag add constraint a check (key <> '');",
      'constraint-missing-not-valid',
    ],
    [
      'builds concurrently in a transaction',
      'drop table a; create index concurrently if not exists b on flow (name);',
      'ban-concurrent-index-creation-in-transaction',
    ],
    ['cannot be repeated', `${OUTSIDE}create index concurrently a on flow (name);`, 'prefer-robust-stmts'],
  ])('%s', (_, text, rule) => {
    expect(faultsIn('canary.sql', text).join('\n')).toContain(rule);
  });

  it.each([
    ['builds an index outside of a transaction', `${OUTSIDE}create index concurrently if not exists a on flow (name);`],
    ['says why it may', '-- squawk-ignore ban-drop-column\nalter table flow drop column name;'],
  ])('and one is not that %s', (_, text) => {
    expect(faultsIn('canary.sql', text)).toEqual([]);
  });
});
