import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import '../../src/app/api.ts';
import '../../src/app/worker.ts';
import '../../src/bin/commands/identity.ts';
import '../../src/bin/commands/journal.ts';
import '../../src/bin/commands/storage.ts';
import '../../src/features/runtime-verdicts/turns/evidence-expiring.entries.ts';
import { journalPage } from '../../src/app/journal-page.ts';
import { statementNames, unpreparedNames } from '../../src/platform/db/statement-names.ts';
import { declaredEntries, digestOf, seal } from '../../src/platform/journal/entry.ts';

const GOLDEN = join(import.meta.dirname, '../golden');
const PAGE = join(import.meta.dirname, '../../../../docs/journal.md');

const names = declaredEntries().map((entry) => `${entry.type}.v${entry.version}.json`);

/** Recorded entries must stay readable for ever: these files are never edited, only added to. */
describe.each(declaredEntries().map((entry) => [entry.type, entry] as const))('%s', (_, entry) => {
  it('reads its golden payload and seals it to the same bytes', async () => {
    const golden = (await readFile(join(GOLDEN, `${entry.type}.v${entry.version}.json`), 'utf8')).trimEnd();
    const sealed = seal(entry, JSON.parse(golden));
    expect(sealed.payload).toBe(golden);
    expect(sealed.digest).toEqual(digestOf(golden, sealed.nonce));
  });
});

it('every golden payload belongs to a declared entry', async () => {
  expect((await readdir(GOLDEN)).sort()).toEqual([...names].sort());
});

it('a changed payload does not pass for the old one', () => {
  const entry = declaredEntries().find(({ type }) => type === 'flow.renamed');
  expect(() => entry && seal(entry, { from: 'a', to: 'b', extra: 1 })).toThrow();
  expect(() => entry && seal(entry, { from: 'a' })).toThrow();
});

it('no statement writes the version of an entry as a number: it comes from the declaration', () => {
  const appends = [...statementNames, ...unpreparedNames].filter(([text]) => text.includes('insert into journal ('));
  expect(appends.map(([, name]) => name)).toEqual(expect.arrayContaining(['put_flow', 'insert_attestations']));
  const literal = appends.filter(([text]) => /^\d+$/.test(versionWritten(text))).map(([, name]) => name);
  expect(literal).toEqual([]);
});

/** The value that a statement writes to the column `version` of the journal. */
function versionWritten(text: string): string {
  const [, columns = '', values = ''] = /insert into journal \(([^)]*)\)\s*select (.*?)\s+from /s.exec(text) ?? [];
  const place = columns.split(',').findIndex((column) => column.trim() === 'version');
  const written = values.split(',')[place]?.trim();
  if (!written) throw new Error(`the version that this statement writes was not found:\n${text}`);
  return written;
}

it('docs/journal.md is the page the code gives', async () => {
  expect(await readFile(PAGE, 'utf8'), 'run `pnpm generate`').toBe(journalPage());
});
