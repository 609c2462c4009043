import type { Command } from 'commander';
import { eraseEntry } from '../../platform/journal/erase.ts';
import { orgIdOf, print, withDb } from './with-db.ts';

export function journalCommands(program: Command): void {
  const journal = program.command('journal').description('The record of what happened');
  journal
    .command('erase <entry-id>')
    .description('Erase the content of an entry for good; that it was there, and that it was erased, stays provable')
    .requiredOption('--org <name>')
    .requiredOption('--reason <text>', 'kept in the journal')
    .action((entryId: string, options: { org: string; reason: string }) =>
      withDb(async (db, ctx) => {
        await eraseEntry({ ...ctx, org: await orgIdOf(db, options.org) }, entryId, options.reason);
        print(`Content of entry ${entryId} erased`);
      }),
    );
}
