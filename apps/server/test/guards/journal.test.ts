import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import '../../src/app/api.ts';
import '../../src/bin/commands/identity.ts';
import '../../src/bin/commands/journal.ts';
import { journalPage } from '../../src/app/journal-page.ts';
import { declaredEntries, digestOf, seal } from '../../src/platform/journal/entry.ts';

const GOLDEN = join(import.meta.dirname, '../golden');
const PAGE = join(import.meta.dirname, '../../../../docs/journal.md');

const names = declaredEntries().map((entry) => `${entry.type}.v${entry.version}.json`);

/** What was once recorded must be readable for ever: these files are never edited, only added to. */
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

it('docs/journal.md is the page the code gives', async () => {
  expect(await readFile(PAGE, 'utf8'), 'run `pnpm generate`').toBe(journalPage());
});
