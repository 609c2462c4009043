import type { Command } from 'commander';
import { renumberAfterRestore } from '../../platform/journal/after-restore.ts';
import { print, withDb } from './with-db.ts';

export function afterRestoreCommand(program: Command): void {
  program
    .command('after-restore')
    .description('Repair the journal after restoring a dump into another PostgreSQL cluster')
    .action(() =>
      withDb(async (db) => {
        const { entries, written } = await renumberAfterRestore(db);
        print(`Renumbered ${entries} journal entries, ${written} of them written after the restore.`);
        print('Running API servers and workers continue within a few seconds. No restart is needed.');
      }),
    );
}
