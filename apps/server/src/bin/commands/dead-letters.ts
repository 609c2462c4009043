import type { Command } from 'commander';
import { processors } from '../../app/worker.ts';
import { invalid } from '../../platform/errors.ts';
import { listDeadLetters, replayDeadLetter } from '../../platform/journal/dead-letters.ts';
import { connectNats } from '../../platform/journal/stream.ts';
import { createLogger } from '../../platform/log.ts';
import { print, withDb } from './with-db.ts';

const MOST = 1_000;

export function deadLetterCommands(program: Command): void {
  const letters = program.command('dead-letters').description('Journal entries that a processor could not digest');
  letters
    .command('list')
    .description('Oldest first')
    .action(() =>
      withDb(async (db) => {
        const rows = await listDeadLetters(db, MOST);
        for (const row of rows) {
          print(`${row.failed_at.toISOString()}  ${row.processor}  ${row.type}  seq ${row.seq}  ${row.error}`);
        }
        print(`${rows.length} waiting`);
      }),
    );
  letters
    .command('replay')
    .description('Give all of them, or those of one processor, to their processors again')
    .option('--processor <name>')
    .action((options: { processor?: string }) =>
      withDb(async (db, _, config) => {
        const nats = await connectNats(config.stream, 'waymark-server', createLogger('silent'));
        const byName = new Map(processors(nats, config.stream).map((processor) => [processor.name, processor]));
        const rows = await listDeadLetters(db, MOST);
        let replayed = 0;
        for (const row of rows.filter((row) => !options.processor || row.processor === options.processor)) {
          const processor = byName.get(row.processor);
          if (!processor) throw invalid(`There is no processor '${row.processor}' in this version`);
          await replayDeadLetter(db, row, processor);
          replayed += 1;
        }
        await nats.close();
        print(`${replayed} replayed`);
      }),
    );
}
