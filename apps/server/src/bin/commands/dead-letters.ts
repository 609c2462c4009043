import type { Command } from 'commander';
import { processors } from '../../app/worker.ts';
import {
  type AbandonedReevaluation,
  listAbandonedReevaluations,
  replayAbandonedReevaluation,
} from '../../features/runtime-verdicts/reevaluation/abandoned-reevaluation.reads.ts';
import type { Db } from '../../platform/db/db.ts';
import { invalid } from '../../platform/errors.ts';
import { listDeadLetters, replayDeadLetter } from '../../platform/journal/dead-letters.ts';
import { print, withDb } from './with-db.ts';

const MAX_LISTED = 1_000;
/** Takes the place of a processor's name where a re-evaluation was given up. */
const REEVALUATION = 're-evaluation';

export function deadLetterCommands(program: Command): void {
  const letters = program
    .command('dead-letters')
    .description(
      'List and replay work that failed too often: journal entries of a processor, and re-evaluations of environments',
    );
  letters
    .command('list')
    .description('List up to 1,000 dead letters, oldest first')
    .option('--processor <name>')
    .action((options: { processor?: string }) =>
      withDb(async (db) => {
        const rows = await listDeadLetters(db, MAX_LISTED, options.processor);
        for (const row of rows) {
          print(`${row.failed_at.toISOString()}  ${row.processor}  ${row.type}  seq ${row.seq}  ${row.error}`);
        }
        const givenUp = await abandonedReevaluations(db, options.processor);
        for (const { given_up_at, org_name, environment_name, tries, error } of givenUp) {
          const subject = `environment '${environment_name}' of org '${org_name}'`;
          print(`${given_up_at.toISOString()}  ${REEVALUATION}  ${subject}  ${tries} tries  ${error}`);
        }
        print(`${rows.length + givenUp.length} waiting`);
      }),
    );
  letters
    .command('replay')
    .description('Process up to 1,000 dead letters again')
    .option('--processor <name>')
    .action((options: { processor?: string }) =>
      withDb(async (db) => {
        const nobody = { reevaluations: () => undefined, deliveries: () => undefined };
        const byName = new Map(processors(nobody).map((processor) => [processor.name, processor]));
        const rows = await listDeadLetters(db, MAX_LISTED, options.processor);
        let replayed = 0;
        for (const row of rows) {
          const processor = byName.get(row.processor);
          if (!processor) throw invalid(`This version has no processor '${row.processor}'`);
          if ((await replayDeadLetter(db, row, processor)) === 'replayed') replayed++;
        }
        print(`${replayed + (await replayReevaluations(db, options.processor))} replayed`);
      }),
    );
}

async function abandonedReevaluations(db: Db, processor: string | undefined): Promise<AbandonedReevaluation[]> {
  return processor === undefined || processor === REEVALUATION ? listAbandonedReevaluations(db, MAX_LISTED) : [];
}

async function replayReevaluations(db: Db, processor: string | undefined): Promise<number> {
  let replayed = 0;
  for (const { org_id, environment_id } of await abandonedReevaluations(db, processor)) {
    if (await replayAbandonedReevaluation(db, org_id, environment_id)) replayed++;
  }
  return replayed;
}
