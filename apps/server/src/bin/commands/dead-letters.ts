import type { Command } from 'commander';
import { processors } from '../../app/worker.ts';
import { invalid } from '../../platform/errors.ts';
import { listDeadLetters, replayDeadLetter } from '../../platform/journal/dead-letters.ts';
import { print, withDb } from './with-db.ts';

const MOST = 1_000;

export function deadLetterCommands(program: Command): void {
  const letters = program.command('dead-letters').description('Journal entries that a processor could not digest');
  letters
    .command('list')
    .description('Oldest first, at most 1,000')
    .option('--processor <name>')
    .action((options: { processor?: string }) =>
      withDb(async (db) => {
        const rows = await listDeadLetters(db, MOST, options.processor);
        for (const row of rows) {
          print(`${row.failed_at.toISOString()}  ${row.processor}  ${row.type}  seq ${row.seq}  ${row.error}`);
        }
        print(`${rows.length} waiting`);
      }),
    );
  letters
    .command('replay')
    .description('Give them, at most 1,000, to their processors again; open event streams notice within seconds')
    .option('--processor <name>')
    .action((options: { processor?: string }) =>
      withDb(async (db) => {
        const nobody = { feeds: () => undefined, rechecks: () => undefined, deliveries: () => undefined };
        const byName = new Map(processors(nobody).map((processor) => [processor.name, processor]));
        const rows = await listDeadLetters(db, MOST, options.processor);
        for (const row of rows) {
          const processor = byName.get(row.processor);
          if (!processor) throw invalid(`There is no processor '${row.processor}' in this version`);
          await replayDeadLetter(db, row, processor);
        }
        print(`${rows.length} replayed`);
      }),
    );
}
