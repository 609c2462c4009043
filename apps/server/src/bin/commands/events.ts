import type { Command } from 'commander';
import { republishEvents } from '../../platform/journal/republish.ts';
import { print, withDb } from './with-db.ts';

export function eventCommands(program: Command): void {
  const events = program.command('events').description('Manage the event bus');
  events
    .command('republish')
    .description('Publish events again after JetStream lost its disk; consumers know them by their ids')
    .option(
      '--since <time>',
      'only events of entries that were put in order since this time, such as 2026-11-01T00:00:00Z',
    )
    .action((options: { since?: string }) =>
      withDb(async (db) => {
        const count = await republishEvents(db, options.since);
        print(`${count} events will be published again by the worker that leads.`);
      }),
    );
}
