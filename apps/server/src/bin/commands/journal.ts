import type { Command } from 'commander';
import { eraseEntry } from '../../platform/journal/erase.ts';
import { orgIdOf, print, withDb } from './with-db.ts';

export function journalCommands(program: Command): void {
  const journal = program.command('journal').description('Manage the journal');
  journal
    .command('erase <entry-id>')
    .description('Erase the content of an entry permanently; it stays provable that the entry existed and was erased')
    .requiredOption('--org <name>', 'name of the org')
    .requiredOption('--reason <text>', 'reason, recorded in the journal')
    .action((entryId: string, options: { org: string; reason: string }) =>
      withDb(async (db, ctx) => {
        await eraseEntry({ ...ctx, org: await orgIdOf(db, options.org) }, entryId, options.reason);
        print(`Content of entry ${entryId} erased`);
      }),
    );
}
