import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import '../../src/app/api.ts';
import '../../src/app/worker.ts';
import '../../src/bin/commands/identity.ts';
import '../../src/bin/commands/journal.ts';
import '../../src/bin/commands/storage.ts';
import '../../src/features/runtime-verdicts/turns/evidence-expiring.entries.ts';
import { SUMMARIES, summarize } from '../../src/features/activity/summaries.ts';
import type { EntryPayload } from '../../src/features/activity/summary.ts';
import { declaredEntries } from '../../src/platform/journal/entry.ts';

const GOLDEN = join(import.meta.dirname, '../golden');

const declared = declaredEntries();

it('every type of entry has its summary, and none is left over', () => {
  const types = [...new Set(declared.map(({ type }) => type))].sort();
  expect([...SUMMARIES.keys()].sort()).toEqual(types);
});

describe.each(declared.map((entry) => [`${entry.type}, version ${entry.version}`, entry] as const))(
  '%s',
  (_, entry) => {
    it('has a complete summary of its payload', async () => {
      const golden = await readFile(join(GOLDEN, `${entry.type}.v${entry.version}.json`), 'utf8');
      const payload = JSON.parse(golden) as EntryPayload;
      const summary = summarize({ type: entry.type, actor: 'ada', subjectId: 'an-id', payload });
      expect(summary.text).not.toContain(entry.type);
      expect(summary.text).not.toMatch(/[{}[\]]|undefined|null|\bNaN\b/);
      const { name, path } = SUMMARIES.get(entry.type) ?? {};
      // The name of a notification is read from the database.
      if (!name?.includes('source_name')) expect(summary.name !== null).toBe(name !== undefined);
      expect(summary.path !== null).toBe(path !== undefined);
    });
  },
);
