import type { Command } from 'commander';
import { eraseUnlessHeld } from '../../features/retention/entry-erasure.service.ts';
import { orgIdOf, print, withDb } from './with-db.ts';

export function journalCommands(program: Command): void {
  const journal = program.command('journal').description('Manage the journal');
  journal
    .command('erase <entry-id>')
    .description(
      'Erase the content of an entry permanently, unless it has to be kept; it stays provable that the entry existed',
    )
    .requiredOption('--org <name>', 'name of the org')
    .requiredOption('--reason <text>', 'reason, recorded in the journal')
    .action((entryId: string, options: { org: string; reason: string }) =>
      withDb(async (db, ctx) => {
        await eraseUnlessHeld({ ...ctx, org: await orgIdOf(db, options.org) }, entryId, options.reason);
        print(`Content of entry ${entryId} erased`);
      }),
    );
}
