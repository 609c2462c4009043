import type { Command } from 'commander';
import { migrate } from '../../platform/db/migrate.ts';
import { print, withDb } from './with-db.ts';

export function migrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('Bring the database up to this version; safe to run again, and from several places at once')
    .action(() =>
      withDb(async (db) => {
        const applied = await migrate(db);
        print(applied.length === 0 ? 'The database is up to date' : `Applied ${applied.join(', ')}`);
      }),
    );
}
